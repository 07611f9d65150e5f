"""What Claude Code's records can and cannot show (observer.adapters.capability)."""

from observer.adapters.capability import Capabilities, no, partly, yes

CAPABILITIES: Capabilities = {
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
