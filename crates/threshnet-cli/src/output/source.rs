//! The file a fit was made of, so that another one is told from it.

use anyhow::{Result, ensure};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use threshnet::report::DataFile;

/// Its name, length and SHA-256, as `sha256sum` gives it. A pipe has none: it cannot be read again.
pub fn fingerprint(path: &Path) -> Result<DataFile> {
    ensure!(fs::metadata(path)?.is_file(), "it is no file");
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let (mut some, mut bytes) = (vec![0; 1 << 16], 0);
    loop {
        match file.read(&mut some)? {
            0 => break,
            count => {
                hash.update(&some[..count]);
                bytes += count as u64;
            }
        }
    }
    let digits = hash.finalize();
    Ok(DataFile {
        name: path.display().to_string(),
        bytes,
        sha256: digits.iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_sha256sum() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        let found = fingerprint(file.path()).unwrap();
        // FIPS 180-2, appendix B.1
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((&found.sha256[..], found.bytes), (expected, 3));
    }
}
