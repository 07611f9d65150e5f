"""What a harness's records can and cannot show, so that absence is never read as zero.

A table per harness, and the words the tables are made of. Knows no record.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from observer.records.event import Family

# Rises when a family, a status or the meaning of an event's fields changes.
EVENT_CONTRACT = 1
Subject = Literal[
    "model_usage",
    "model",
    "effort",
    "native_cost",
    "prompts",
    "subagents",
    "forks",
    Family,
    "exit_status",
    "call_results",
    "quota",
    "live_state",
]
Supported = Literal["yes", "partly", "no"]
SUBJECTS: tuple[Subject, ...] = get_args(Subject)
FAMILIES: tuple[Family, ...] = get_args(Family)


class Capability(Struct, frozen=True):
    """Whether records show something, and one sentence on how or why not."""

    supported: Supported
    says: str


Capabilities = Mapping[Subject, Capability]


def yes(says: str) -> Capability:
    """The records show it."""
    return Capability("yes", says)


def partly(says: str) -> Capability:
    """The records show some of it; what is absent may have happened."""
    return Capability("partly", says)


def no(says: str) -> Capability:
    """The records do not show it; its absence says nothing."""
    return Capability("no", says)


def of(harness: str) -> Capabilities:
    """The table of a harness, in the order of SUBJECTS."""
    table = TABLES[harness]
    return {subject: table[subject] for subject in SUBJECTS}


_CLAUDE: Capabilities = {
    "model_usage": partly(
        "Every recorded answer once; compaction requests, killed answers and (1.0) small-model calls leave no line."
    ),
    "model": yes("Each answer names the model that gave it."),
    "effort": partly("Recorded since 2.1; nothing of the kind in 1.0."),
    "native_cost": no("Transcripts hold no price; the running totals beside them are no authority."),
    "prompts": yes("Marked as a person's own since 2.1; told by their form before that."),
    "subagents": yes("Each has a transcript of its own, or marked lines in its parent's (1.0)."),
    "forks": yes("Copied answers name the session they were made in, or are found by their ids."),
    "tool_call": yes("Every call of a tool has an id, a name and, for known tools, its file or command."),
    "tool_result": yes("Every result names its call."),
    "read": partly("Files read by the reading tools; what a command reads does not show."),
    "skill_read": partly(
        "A skill's own file when it is read or put into the conversation; prose that mentions one is none."
    ),
    "skill_invoke": yes("Calls of the skill tool."),
    "file_change": partly("Calls of the editing tools; what a command changes does not show."),
    "permission": partly("Refusals only; what was allowed leaves no event."),
    "assistant_message": yes("One per block of text."),
    "compaction": yes("The boundary line of each compaction."),
    "lifecycle": partly(
        "Turn durations, stop hooks and errors that were shown; an error that a retry overcame leaves no line."
    ),
    "exit_status": partly("The code of a command that failed; success is a result without an error."),
    "call_results": yes("By the id of the call."),
    "quota": no("Transcripts hold no limits or readings."),
    "live_state": yes("A registry of running processes, except for sessions that keep no records at all."),
}

_CODEX: Capabilities = {
    "model_usage": partly(
        "A record per response, or rising totals in older releases; cut streams and hidden title requests leave none."
    ),
    "model": yes("The model of the last context before the response."),
    "effort": yes("Beside the model."),
    "native_cost": no("Rollouts hold no price."),
    "prompts": yes("Marked as a person's own; in older releases an event per prompt."),
    "subagents": yes("Each has a rollout that names its parent."),
    "forks": yes("Forks name their origin; older ones also copy its history."),
    "tool_call": partly("Every call has an id; commands inside a script have no call of their own."),
    "tool_result": yes("Outputs and completed items, each under its own id."),
    "read": partly("Only files that Codex itself recognised in a command it ran."),
    "skill_read": partly("Recognised reads of a skill's file."),
    "skill_invoke": no("There is no such record; a skill shows as a read of its file."),
    "file_change": partly("Patches; what a command changes does not show."),
    "permission": partly(
        "A declined command where its item says so; Esc looks like an interruption, approvals leave nothing."
    ),
    "assistant_message": yes("One per message."),
    "compaction": yes("One per compaction."),
    "lifecycle": partly("Aborted turns, plans, reviews and helpers; failed requests and retries leave nothing."),
    "exit_status": yes("In completed items, and in the head of a command's output."),
    "call_results": partly("By call id; commands inside a script have ids of their own and stay unmatched."),
    "quota": no("Rate limits are in the records of some accounts and are not read."),
    "live_state": partly("Lock files and open rollouts; there is no registry of processes."),
}

_OPENCODE: Capabilities = {
    "model_usage": partly(
        "A finished message is a response; titles, retries and answers aborted inside a tool leave no counters."
    ),
    "model": yes("Each message names provider and model."),
    "effort": partly("The variant, which is absent when it is the default."),
    "native_cost": partly(
        "The agent's own estimate from configured prices; releases 1.1 and 1.2 charge reasoning twice."
    ),
    "prompts": partly("Typed text of main sessions; a slash command is stored as its expanded text, without a mark."),
    "subagents": yes("Their sessions name the parent."),
    "forks": partly("Nothing but the title marks a fork; its copies are found by equal times, model and counters."),
    "tool_call": yes("Every tool part has a call."),
    "tool_result": partly("Once the part is completed or failed; a killed process leaves it open for ever."),
    "read": partly("The reading tool; what a command reads does not show."),
    "skill_read": partly("Reads of a skill's file by the reading tool."),
    "skill_invoke": yes("The skill tool."),
    "file_change": yes("The editing tools, and the files of each step, whatever changed them."),
    "permission": no("Permission prompts live in the process's memory only."),
    "assistant_message": no("Texts are not turned into events."),
    "compaction": yes("Compaction parts, and the time of a session's last one."),
    "lifecycle": partly("Errors of messages; failed requests that a retry overcame leave nothing."),
    "exit_status": yes("With the result of a command."),
    "call_results": yes("A part holds both halves."),
    "quota": no("The store holds no limits or readings."),
    "live_state": partly("When a session was last written; there is no list of processes."),
}

_GROK: Capabilities = {
    "model_usage": partly(
        "One sum per prompt and model, not per call; titles, compactions and killed turns leave none."
    ),
    "model": yes("The usage of a prompt names its models."),
    "effort": partly("Read where a release writes it; it left no mark in the records that were measured."),
    "native_cost": partly("Only where every call of the prompt reported its price."),
    "prompts": partly("A person's own only while the chat history is complete."),
    "subagents": yes("The parent's records name them."),
    "forks": yes("Copied prompts keep their ids."),
    "tool_call": yes("Every call has an id."),
    "tool_result": yes("Completed or failed, under the call's id."),
    "read": partly("The reading tool; what a command reads does not show."),
    "skill_read": partly("Reads of a skill's file by the reading tool."),
    "skill_invoke": no("There is no such record."),
    "file_change": partly("The editing tools; what a command changes does not show."),
    "permission": yes("Asked for and resolved, with the time between."),
    "assistant_message": yes("Pieces that follow each other are one answer."),
    "compaction": yes("One event each; a started one that never ended shows as such."),
    "lifecycle": partly("Turns, retries and helpers as the records name them."),
    "exit_status": partly("With the result of a command."),
    "call_results": yes("By call id."),
    "quota": no("The records hold no limits or readings."),
    "live_state": partly("A list of interactive processes that others may overwrite."),
}

_ROUTER: Capabilities = {
    "model_usage": no("Figures of an invocation are copies; the worker's own session is what counts."),
    "model": yes("What was asked for and what ran, per invocation."),
    "effort": yes("Beside the model."),
    "native_cost": no("Not taken from invocations."),
    "prompts": no("A person's words are in the planner's own session."),
    "subagents": no("Workers are sessions of other agents, bound to the job's task."),
    "forks": no("Does not apply."),
    "tool_call": no("In the worker's own session."),
    "tool_result": no("In the worker's own session."),
    "read": no("In the worker's own session."),
    "skill_read": no("In the worker's own session."),
    "skill_invoke": no("In the worker's own session."),
    "file_change": no("In the worker's own session."),
    "permission": no("In the worker's own session."),
    "assistant_message": no("In the worker's own session."),
    "compaction": no("In the worker's own session."),
    "lifecycle": no("The states of jobs and invocations are attempts, not events."),
    "exit_status": partly("The return code of an invocation."),
    "call_results": no("Does not apply."),
    "quota": yes("Readings of each pool and window: levels, not amounts."),
    "live_state": partly("The process of the controller of a job."),
}

TABLES: Mapping[str, Capabilities] = {
    "claude": _CLAUDE,
    "codex": _CODEX,
    "opencode": _OPENCODE,
    "grok": _GROK,
    "router": _ROUTER,
}
