"""The defects that a toy adapter can have, and the law that must find each."""

# Where the outcomes go: [[toy, law, whether it held], …].
REPORT = "TOY_REPORT"
PROFILE = SOUND = "toy"
# Defect → the law that finds it.
DEFECTS = {
    "misplaced": "test_its_places_come_from_home_and_the_environment_alone",
    "importing": "test_it_knows_no_ledger_no_network_and_no_clock",
    "reaching": "test_nothing_is_opened_for_writing_or_reached_for",
    "writing": "test_nothing_is_opened_for_writing_or_reached_for",
    "unordered": "test_the_same_is_found_every_time_in_the_same_order",
    "wandering": "test_links_into_foreign_trees_are_not_followed",
    "unstated": "test_it_states_what_its_records_cannot_show",
    "clocked": "test_reading_is_the_same_at_any_time_and_in_any_listing",
    "doubling": "test_reading_everything_again_changes_nothing",
    "forgetful": "test_lines_may_be_cut_at_any_byte",
    "unprefixed": "test_every_id_is_its_agents_and_stands_once",
    "orphaned": "test_sessions_name_parents_that_are_there",
    "unjoined": "test_results_are_joined_to_their_calls",
    "meaningless": "test_counters_have_a_meaning_that_is_known",
    "miscounting": "test_every_model_has_exactly_its_billed_counters",
    "zeroing": "test_records_that_lose_numbers_gain_no_zero",
    "fragile": "test_what_changes_no_figure_costs_nothing",
}
