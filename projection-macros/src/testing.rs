//! Tests of whole expansions.
