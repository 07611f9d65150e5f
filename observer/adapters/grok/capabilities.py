"""What Grok Build's records can and cannot show (observer.adapters.capability)."""

from observer.adapters.capability import Capabilities, no, partly, yes

CAPABILITIES: Capabilities = {
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
