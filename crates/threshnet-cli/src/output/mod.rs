//! What a fit leaves: files in a folder, a summary on stdout.

pub mod folder;
pub mod plot;
pub mod summary;
pub mod tables;
