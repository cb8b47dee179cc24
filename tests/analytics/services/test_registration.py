from __future__ import annotations

import pytest

from analytics.choices import JobState
from analytics.errors import InvalidQuery, NotAllowed
from analytics.models import Event, Job, Pin, Query, QueryVersion
from analytics.services import jobs, registration
from spark_jobs import keys
from spark_jobs.plan import JobPlan
from tests.analytics.cast import PARAMS, job_of, make_query, make_stream

pytestmark = pytest.mark.django_db


@pytest.fixture
def commits(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def plan(redis, query: Query) -> JobPlan:
    return JobPlan.from_json(redis.get(keys.plan(query.stream.job.pk)))


def test_registering_keeps_clean_parameters_a_version_and_an_audit(people):
    query = registration.register(people.analyst, make_stream(), "frequent", "  Big   carriers ", PARAMS)
    assert (query.name, query.owner, query.version) == ("Big carriers", people.analyst, 1)
    assert query.params["limit"] == 20
    kept = QueryVersion.objects.get()
    assert (kept.version, kept.params, kept.changed_by) == (1, query.params, people.analyst)
    event = Event.objects.get(verb="registered")
    assert (event.actor, event.query, event.stream) == (people.analyst, query, query.stream)


def test_the_first_query_wants_the_job_and_publishes_its_plan(redis, commits):
    with commits():
        query = make_query()
    job = Job.objects.get()
    assert (job.wanted, job.state) == (True, JobState.QUEUED)
    published = plan(redis, query)
    assert published.queries == (query.spec(),)
    assert (published.version, published.stream) == (job.plan_version, query.stream.spec())
    # The supervisor is called at once.
    assert redis.llen("sgtest:tasks") == 1


def test_nothing_is_published_when_the_transaction_fails(redis, commits):
    with pytest.raises(InvalidQuery), commits():
        make_query(window=-1)
    assert not redis.keys("sgtest:job:*")


@pytest.mark.parametrize("role", ["stranger", "viewer"])
def test_who_only_looks_cannot_register(people, role: str):
    with pytest.raises(NotAllowed, match="You may not register queries"):
        make_query(user=getattr(people, role))


@pytest.mark.parametrize("role", ["analyst", "operator", "admin"])
def test_who_may_register(people, role: str):
    assert make_query(user=getattr(people, role)).pk


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [("frequent", "   ", "name"), ("frequent", "x" * 81, "name"), ("clusters", "Clusters", "kind")],
)
def test_a_mistake_is_named_at_its_field(kind: str, name: str, field: str):
    with pytest.raises(InvalidQuery) as caught:
        registration.register(None, make_stream(), kind, name, PARAMS)
    assert list(caught.value.errors) == [field]


def test_mistakes_in_name_and_parameters_are_told_together():
    with pytest.raises(InvalidQuery) as caught:
        make_query(name="", k=0)
    assert set(caught.value.errors) == {"name", "k"}


def test_a_name_is_free_again_after_removal():
    query = make_query()
    with pytest.raises(InvalidQuery, match="There is a query called Carriers already"):
        make_query(query.stream)
    registration.remove(None, query)
    assert make_query(query.stream).pk != query.pk


def test_a_name_that_is_taken_leaves_the_query_as_it_was():
    query = make_query()
    make_query(query.stream, "Flights", item="flight")
    with pytest.raises(InvalidQuery, match="There is a query called Flights already"):
        registration.change(None, query, name="Flights", params=query.params | {"k": 50})
    assert not Event.objects.filter(verb__in=["renamed", "changed"]).exists()


def test_changed_parameters_make_a_version_and_a_new_plan(people, redis, commits):
    with commits():
        query = make_query(user=people.analyst)
    before = plan(redis, query)
    with commits():
        changed = registration.change(people.analyst, query, params=query.params | {"k": 50})
    assert (changed.version, changed.params["k"]) == (2, 50)
    assert [each.version for each in QueryVersion.objects.all()] == [2, 1]
    after = plan(redis, query)
    assert after.queries[0].version == 2
    assert after.version == before.version + 1
    event = Event.objects.get(verb="changed")
    assert (event.details, event.actor) == ({"before": {"k": 10}, "after": {"k": 50}}, people.analyst)


def test_a_new_name_alone_leaves_version_and_plan(people):
    query = make_query()
    version = Job.objects.get().plan_version
    changed = registration.change(people.operator, query, name="Airlines")
    assert (changed.name, changed.version, Job.objects.get().plan_version) == ("Airlines", 1, version)
    assert Event.objects.get(verb="renamed").details == {"before": "Carriers"}


def test_a_change_that_changes_nothing_is_not_told():
    query = make_query()
    registration.change(None, query, name="Carriers", params=dict(query.params))
    assert not Event.objects.filter(verb__in=["renamed", "changed"]).exists()


def test_a_wrong_change_leaves_everything(people):
    query = make_query()
    with pytest.raises(InvalidQuery):
        registration.change(people.admin, query, name="Airlines", params=PARAMS | {"k": 0})
    query.refresh_from_db()
    assert (query.name, query.version) == ("Carriers", 1)


def test_an_analyst_changes_only_her_own_queries(people):
    hers, another = (
        make_query(user=people.analyst),
        make_query(make_stream("arrivals"), "Other", people.admin),
    )
    registration.change(people.analyst, hers, name="Mine")
    for step in (
        lambda: registration.change(people.analyst, another, name="Taken"),
        lambda: registration.remove(people.analyst, another),
        lambda: registration.set_active(people.analyst, another, False),
    ):
        with pytest.raises(NotAllowed):
            step()


@pytest.mark.parametrize("role", ["stranger", "viewer"])
def test_who_only_looks_cannot_change_even_own_queries(people, role: str):
    query = make_query()
    Query.objects.update(owner=getattr(people, role))
    query.refresh_from_db()
    with pytest.raises(NotAllowed):
        registration.set_active(getattr(people, role), query, False)


def test_a_removed_query_leaves_plan_and_pins_but_keeps_its_versions(people, redis, commits):
    with commits():
        query = make_query()
        other = make_query(query.stream, "Flights", item="flight")
    Pin.objects.create(user=people.viewer, query=query)
    with commits():
        registration.remove(people.operator, query)
    assert [each.id for each in plan(redis, query).queries] == [other.pk]
    assert QueryVersion.objects.filter(query=query).exists()
    assert not Pin.objects.exists()
    assert Job.objects.get().wanted


def test_a_removed_query_cannot_be_changed():
    query = make_query()
    registration.remove(None, query)
    with pytest.raises(InvalidQuery, match="has been removed"):
        registration.change(None, query, name="Ghost")


def test_the_job_stops_with_its_last_query_and_starts_with_the_next(redis, commits):
    query = make_query()
    Job.objects.update(state=JobState.RUNNING)
    registration.set_active(None, query, False)
    job = Job.objects.get()
    assert (job.wanted, job.state) == (False, JobState.STOPPING)
    registration.set_active(None, query, True)
    assert Job.objects.get().wanted


def test_a_job_that_was_stopped_stays_so_when_a_query_is_added(people):
    query = make_query()
    jobs.stop(people.operator, job_of(query))
    make_query(query.stream, "Flights", people.analyst, item="flight")
    assert not Job.objects.get().wanted


def test_a_job_that_was_stopped_is_not_started_by_changes_of_its_queries(people):
    query = make_query()
    other = make_query(query.stream, "Flights", item="flight")
    jobs.stop(people.operator, job_of(query))
    registration.change(None, query, params=query.params | {"k": 50})
    registration.remove(None, other)
    assert not Job.objects.get().wanted


def test_a_paused_query_is_not_in_the_plan(redis, commits):
    with commits():
        query = make_query()
        registration.set_active(None, query, False)
    assert plan(redis, query).queries == ()
    assert [event.verb for event in Event.objects.filter(query=query)] == ["paused", "registered"]


def test_clones_belong_to_who_asked_and_get_names_of_their_own(people):
    query = make_query()
    first, second = (registration.clone(people.analyst, query) for _ in range(2))
    assert (first.name, second.name) == ("Carriers copy", "Carriers copy 2")
    assert (first.owner, first.params, first.version) == (people.analyst, query.params, 1)
