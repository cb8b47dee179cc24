// The notes about failed jobs on top of a page; the server writes them, this says when they are out of date.

/** @param {any} message an overview message */
export function failedChanged(message) {
  const place = document.getElementById("alerts");
  if (!place) return false;
  const failed = message.jobs.filter((/** @type {any} */ job) => job.state === "failed").map((/** @type {any} */ job) => job.id);
  return place.dataset.jobs !== failed.join(",");
}
