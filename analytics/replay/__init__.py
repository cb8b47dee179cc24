"""Replaying a file into a stream: as fast as it goes, at a rate, or at a multiple of the speed of life."""
