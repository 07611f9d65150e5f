"""What OpenCode's records can and cannot show (observer.adapters.capability)."""

from observer.adapters.capability import Capabilities, no, partly, yes

CAPABILITIES: Capabilities = {
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
