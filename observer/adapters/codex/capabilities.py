"""What Codex's records can and cannot show (observer.adapters.capability)."""

from observer.adapters.capability import Capabilities, no, partly, yes

CAPABILITIES: Capabilities = {
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
