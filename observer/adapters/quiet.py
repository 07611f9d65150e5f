"""Record types that are known and say nothing: passed over without a fault, by harness.

Whatever is in no adapter's shapes and not here is a record that nobody knows,
and shows as a fault.
"""

# Claude Code: state of the client; also `cost-state`, whose totals include what a
# fork inherited and restart after a kill.
CLAUDE_LINES = """
agent-color agent-name agent-setting ai-title api-request api-request-blob api-request-shape atis-latch
attribution-snapshot bridge-session content-replacement cost-state custom-title file-history-delta
file-history-snapshot last-prompt mode permission-mode pr-link progress speculation-accept summary tag task-summary
tools-used worktree-state"""

# Codex, in some release: twins of calls, outputs and messages, and bookkeeping.
CODEX_EVENTS = """
agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break collab_agent_interaction_end
collab_agent_spawn_end collab_close_end collab_resume_end collab_waiting_end context_compacted
dynamic_tool_call_request dynamic_tool_call_response entered_review_mode error exec_command_end exited_review_mode
guardian_assessment guardian_warning image_generation_end item_started mcp_tool_call_end model_reroute plan_update
stream_error sub_agent_activity thread_name_updated thread_rolled_back turn_diff undo_completed view_image_tool_call
warning web_search_end"""
CODEX_ITEMS = """
additional_tools agent_message compaction compaction_summary compaction_trigger context_compaction ghost_snapshot
image_generation_call other reasoning tool_search_output"""
CODEX_LINES = "inter_agent_communication inter_agent_communication_metadata world_state"

# Grok Build: updates, and events of its log, also all whose names begin so.
GROK_UPDATES = frozenset(
    """
agent_thought_chunk plan available_commands_update current_mode_update config_option_update session_info_update
usage_update memory_flush_started memory_flush_completed memory_dream_completed memory_session_saved memory_files
hooks_changed plugins_changed plugin_updates_installed hook_annotation hook_run_started scheduled_task_created
scheduled_task_deleted scheduled_task_fired monitor_event subagent_progress session_summary_generated session_recap
session_recap_unavailable goal_updated interaction_resolved image_compressed image_dropped diff_review
auto_continue_completed feedback_request relay_sync_status auto_recovery_started auto_recovery_exhausted
tool_call_delta_chunk model_served last_turn_summary session_status""".split()
)
GROK_EVENTS = frozenset(
    """
phase_changed loop_started first_token tool_started turn_ended interjected yolo_toggled mcp_oauth_discovery_timeout
mcp_oauth_probe_resolved mcp_server_failed mcp_tool_registration_failed mcp_init_cancelled mcp_tool_call_started
mcp_tool_call_completed mcp_transport_error mcp_transport_decode_error mcp_transport_reconnect mcp_auth_retry
mcp_health_check mcp_server_toggled""".split()
)
GROK_KINDS = ("goal_", "laziness_", "todo_gate_")
# Start-up of MCP servers: passed over only in exactly the known form (keys beside `ts` and `type`; public).
_START_UP = {
    "mcp_config_resolved": ("servers disabled",),
    "mcp_managed_config_result": ("server_count", "server_count error"),
    "mcp_server_starting": ("server_name transport target timeout_sec",),
    "mcp_server_connected": ("server_name transport tool_count duration_ms tools",),
    "mcp_init_completed": (
        "total_servers succeeded failed auth_required total_tools duration_ms is_reinit",
        "total_servers succeeded failed auth_required total_tools duration_ms is_reinit failed_servers",
    ),
}
GROK_START_UP = {name: [frozenset(f"ts type {keys}".split()) for keys in forms] for name, forms in _START_UP.items()}
