//! How a study ends without a result.

/// Why a study ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for cannot be meant.
    #[error("{0}")]
    Usage(String),
    /// It was stopped, and keeps what it has done; the text says where.
    #[error("{0}")]
    Interrupted(String),
    /// The data or the run failed.
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}
