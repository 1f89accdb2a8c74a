//! The suites, each a list of its tests that stands once for all stores.

/// A test for each function of a suite, run on the store that `run` gives it.
#[macro_export]
macro_rules! suite {
    ($suite:ident, $run:path, [$($test:ident),* $(,)?]) => {
        $(
            #[tokio::test]
            async fn $test() {
                $run(|store| async move { $crate::conformance::$suite::$test(&store).await }).await;
            }
        )*
    };
}

/// What every view store and its checkpoint storage must do.
#[macro_export]
macro_rules! view_suites {
    ($views:path, $checkpoints:path) => {
        $crate::suite!(
            views,
            $views,
            [
                a_state_survives_the_way_to_the_store_and_back,
                a_field_that_the_state_no_longer_has_is_passed_over,
                found_states_have_the_places_of_their_ids,
                saving_replaces_and_deleting_twice_is_harmless,
                every_type_of_key_finds_its_instance,
                an_id_in_the_state_must_be_the_instance_s,
                our_own_name_is_refused_as_a_field,
                a_state_that_does_not_fit_is_named,
                a_view_can_be_opened_again,
            ]
        );
        $crate::suite!(
            guarded,
            $views,
            [
                a_position_is_stored_with_its_state,
                each_change_is_written_or_lost_by_itself,
                a_change_at_a_position_never_inserts,
                an_empty_batch_is_fine,
                the_same_batch_again_changes_nothing,
                offered_events_are_kept_with_the_state,
                a_refused_state_does_not_take_the_others_with_it,
                an_instance_without_a_position_is_refused,
                an_instance_fed_from_another_source_is_refused,
                a_checkpoint_is_never_stored_with_a_batch_that_lost,
            ]
        );
        $crate::suite!(
            tombstones,
            $views,
            [
                a_delete_leaves_the_position,
                a_late_writer_does_not_bring_a_deleted_instance_back,
                a_delete_that_lost_changes_nothing,
                an_instance_is_created_again_over_its_tombstone,
                deleting_what_was_never_stored_leaves_the_position,
                a_tombstone_goes_when_a_checkpoint_has_passed_it,
                a_tombstone_is_there_after_opening_again,
                what_is_empty_has_neither_states_nor_tombstones,
            ]
        );
        $crate::suite!(
            unique,
            $views,
            [
                a_value_that_is_taken_is_refused_naming_the_index,
                saving_a_value_that_is_taken_is_refused,
                a_value_may_move_inside_a_batch,
            ]
        );
        $crate::suite!(
            checkpoints,
            $checkpoints,
            [
                what_is_saved_is_loaded,
                saving_again_replaces,
                recording_again_changes_nothing,
                removing_a_version_leaves_the_others,
                an_instance_is_parked_once,
                a_released_instance_is_no_longer_parked,
            ]
        );
    };
}

/// What every view store with leases must do.
#[macro_export]
macro_rules! lease_suites {
    ($views:path) => {
        $crate::suite!(
            leases,
            $views,
            [
                a_lease_is_held_by_one,
                a_renewal_keeps_the_epoch,
                a_lease_that_ended_is_taken_with_a_higher_epoch,
                ones_own_lease_that_ended_has_another_epoch,
                a_lease_that_was_given_up_is_free,
                of_many_that_ask_at_once_one_holds_it,
                owners_are_listed,
                a_commit_of_a_former_owner_is_refused,
                a_checkpoint_of_a_former_owner_is_refused,
            ]
        );
    };
}

/// What every view store with versions must do.
#[macro_export]
macro_rules! rebuild_suites {
    ($views:path) => {
        $crate::suite!(
            rebuild,
            $views,
            [
                a_new_version_is_shown_when_it_is_as_far_as_the_old_one,
                an_older_version_is_shown_again_only_if_that_is_said,
                a_version_that_is_not_what_the_events_make_is_not_shown,
                a_version_that_is_paused_is_not_shown,
                a_stand_by_waits_until_the_owner_has_switched,
            ]
        );
    };
}

/// What every event store must do.
#[macro_export]
macro_rules! event_suites {
    ($events:path) => {
        $crate::suite!(
            events,
            $events,
            [
                the_mark_is_the_last_position,
                an_empty_store_has_an_empty_page,
                a_page_says_how_far_it_goes,
                a_filter_is_honoured,
                pages_of_any_size_give_each_event_once,
                an_event_has_its_data_and_metadata,
                data_that_does_not_fit_is_poison,
                events_are_located_by_source_and_id,
                a_time_says_where_to_begin,
            ]
        );
    };
}

/// What every event store that is appended to must do.
#[macro_export]
macro_rules! append_suites {
    ($events:path) => {
        $crate::suite!(
            append,
            $events,
            [
                an_append_gives_positions_and_versions,
                another_version_than_expected_is_a_conflict_that_names_both,
                an_event_that_is_there_is_refused_with_all_of_its_append,
                several_streams_change_together_or_not_at_all,
                an_append_of_nothing_says_where_the_stream_stands,
                what_was_undone_leaves_nothing,
                a_stream_is_read_in_pages,
                a_stream_is_loaded,
                a_token_names_the_events_of_an_append,
                appended_events_are_located,
                an_append_wakes,
                what_is_not_said_of_an_event_is_filled_in,
                what_is_said_of_an_event_is_kept,
                data_survives_as_it_was,
                appenders_side_by_side_are_read_once_each_and_in_order,
            ]
        );
    };
}
