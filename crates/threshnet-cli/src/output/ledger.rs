//! What a stopped fit has done so far, beside its output folder.
//!
//! The file is hidden (`.NAME.runs`). It is locked as long as a fit works for the folder, so that
//! only one does. It begins with a line that says which fit it is of, and has an entry per
//! finished job: its id, its length and a checksum, each in eight bytes, little end first, and what
//! the job found. An entry that was not finished ends the file. The file goes once the fit is
//! complete.

use super::folder;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use threshnet::dataset::Dataset;
use threshnet::error::Error;
use threshnet::keeper::{JobId, Keeper};
use threshnet::kernel::InstructionSet;
use threshnet::settings::Settings;

/// How the first line begins.
const MAGIC: &str = "threshnet-runs 1";
/// Longer than any first line.
const LONGEST_LINE: usize = 200;
/// Bytes of an entry before what the job found.
const HEAD: usize = 24;
/// A power cut costs what was found since then.
const BETWEEN_SYNCS: Duration = Duration::from_secs(1);

/// The finished jobs of a fit, in a file that is locked.
pub struct Ledger {
    place: Arc<Place>,
    state: Mutex<State>,
    /// Folders that were made for the file, the innermost first.
    made: Vec<PathBuf>,
}

/// What can be told of a ledger from anywhere.
pub struct Place {
    path: PathBuf,
    entries: AtomicUsize,
}

struct State {
    file: File,
    /// The first line, once it is known which fit this is.
    line: String,
    /// Where each entry's bytes are.
    entries: BTreeMap<JobId, Bytes>,
    /// The end of the last whole entry.
    end: u64,
    synced: Instant,
}

#[derive(Clone, Copy)]
struct Bytes {
    start: u64,
    length: u64,
}

impl Ledger {
    /// Locks the place of the folder that is to be written, puts right what a killed run has left
    /// there, and refuses a folder that cannot be written.
    pub fn lock(target: &Path) -> Result<Ledger> {
        folder::check(target)?;
        let path = folder::beside(target, "runs");
        let made = make_parents(&path).with_context(|| {
            format!(
                "{}: cannot make a folder there; choose another --out",
                target.display()
            )
        })?;
        let file = locked(&path, target)?;
        let ledger = Ledger {
            place: Arc::new(Place {
                path,
                entries: AtomicUsize::new(0),
            }),
            state: Mutex::new(State {
                file,
                line: String::new(),
                entries: BTreeMap::new(),
                end: 0,
                synced: Instant::now(),
            }),
            made,
        };
        folder::recover(target)?;
        folder::check(target)?;
        Ok(ledger)
    }

    /// From now on it is the ledger of this fit, with what an earlier command has left of it. What
    /// another fit has left is refused and not touched.
    pub fn identify(&self, fit: &Fingerprint) -> Result<()> {
        let shown = self.place.path.display();
        let mut state = self.state();
        let mut begin = vec![];
        let cannot_read = || format!("{shown}: cannot read");
        (state.file.rewind()).with_context(cannot_read)?;
        (&mut state.file)
            .take(LONGEST_LINE as u64)
            .read_to_end(&mut begin)
            .with_context(cannot_read)?;
        state.line = fit.line();
        let line = begin
            .split_inclusive(|&byte| byte == b'\n')
            .next()
            .unwrap_or_default();
        if line != state.line.as_bytes() {
            let begun = state.line.as_bytes().starts_with(line);
            let theirs = String::from_utf8_lossy(line).into_owned();
            let alone = line.len() == begin.len() && theirs.starts_with(MAGIC);
            if !begun && !alone {
                bail!(
                    "{shown}: it keeps what another fit has done ({}); give the command that began \
                     it, remove the file, or choose another --out",
                    fit.difference(&theirs)
                );
            }
            // (a line alone is of nobody)
            return state
                .cut(0)
                .with_context(|| format!("{shown}: cannot write"));
        }
        let start = line.len() as u64;
        state.scan(start).with_context(cannot_read)?;
        let end = state.end;
        state
            .cut(end)
            .with_context(|| format!("{shown}: cannot write"))?;
        self.place
            .entries
            .store(state.entries.len(), Ordering::Relaxed);
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }

    /// What can be told of it while it is in use.
    pub fn place(&self) -> Arc<Place> {
        Arc::clone(&self.place)
    }

    /// What is kept helps nobody: the same command would end in the same way.
    pub fn forget(&self) {
        let mut state = self.state();
        state.entries.clear();
        // (if it cannot be emptied, the next command goes on from it)
        let _ = state.cut(0);
        self.place.entries.store(0, Ordering::Relaxed);
    }

    /// The fit is complete: nothing is left to go on with.
    pub fn finish(self) -> Result<()> {
        match fs::remove_file(&self.place.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{}: cannot remove", self.place.path.display()))
            }
            _ => Ok(()),
        }
    }
}

impl Place {
    /// How many jobs are done.
    pub fn len(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is to be said of the finished jobs of a fit that goes no further.
    pub fn kept(&self) -> Option<String> {
        let (done, shown) = (self.len(), self.path.display());
        (done > 0).then(|| {
            format!(
                "{done} finished parts are kept in {shown}, from where the same command goes on"
            )
        })
    }

    /// The same of a fit that was interrupted; a file without jobs goes.
    pub fn last_words(&self) -> String {
        self.remove_if_empty();
        match self.kept() {
            Some(kept) => format!("interrupted; {kept}"),
            None => "interrupted; nothing was written".into(),
        }
    }

    fn remove_if_empty(&self) {
        if fs::metadata(&self.path).is_ok_and(|file| file.len() == 0) {
            // (its failure has no one to be told to)
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.place.remove_if_empty();
        // (those alone that are empty can be removed)
        self.made
            .iter()
            .for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

impl Keeper for Ledger {
    fn kept(&self, job: JobId) -> Option<Vec<u8>> {
        let mut state = self.state();
        let Bytes { start, length } = *state.entries.get(&job)?;
        let mut found = vec![0; usize::try_from(length).ok()?];
        state.file.seek(SeekFrom::Start(start)).ok()?;
        state.file.read_exact(&mut found).ok()?;
        Some(found)
    }

    fn keep(&self, job: JobId, found: &[u8]) -> Result<(), Error> {
        let mut state = self.state();
        let added = state.add(job, found);
        self.place
            .entries
            .store(state.entries.len(), Ordering::Relaxed);
        added.map_err(|error| {
            let shown = self.place.path.display();
            let kept = self.place.kept().unwrap_or("nothing is kept".into());
            Error::NotKept(format!(
                "{shown}: cannot write ({error}); make room; {kept}"
            ))
        })
    }
}

impl State {
    /// Finds the whole entries.
    fn scan(&mut self, start: u64) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        self.end = start;
        self.file.seek(SeekFrom::Start(start))?;
        let mut from = io::BufReader::new(&mut self.file);
        let mut head = [0; HEAD];
        while self.end + HEAD as u64 <= length {
            from.read_exact(&mut head)?;
            let [job, size, checksum] = [0, 8, 16]
                .map(|at| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes")));
            let start = self.end + HEAD as u64;
            if size > length - start {
                break;
            }
            let mut hash = begun(job, size);
            update(&mut hash, &mut from, size)?;
            if finished(hash) != checksum {
                break;
            }
            let bytes = Bytes {
                start,
                length: size,
            };
            self.entries.insert(JobId(job), bytes);
            self.end = start + size;
        }
        Ok(())
    }

    fn add(&mut self, JobId(job): JobId, found: &[u8]) -> io::Result<()> {
        let size = found.len() as u64;
        let mut hash = begun(job, size);
        hash.update(found);
        let mut bytes = match self.end {
            0 => self.line.clone().into_bytes(),
            _ => vec![],
        };
        for word in [job, size, finished(hash)] {
            bytes.extend(word.to_le_bytes());
        }
        let start = self.end + bytes.len() as u64;
        bytes.extend(found);
        if let Err(error) = self.file.write_all(&bytes) {
            // Half an entry would be in the way of the next one. If even this fails, the next
            // command will see to it.
            let _ = self.cut(self.end);
            return Err(error);
        }
        self.end = start + size;
        let place = Bytes {
            start,
            length: size,
        };
        self.entries.insert(JobId(job), place);
        if self.synced.elapsed() >= BETWEEN_SYNCS {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    fn cut(&mut self, end: u64) -> io::Result<()> {
        self.end = end;
        self.file.set_len(end)
    }
}

fn begun(job: u64, size: u64) -> Sha256 {
    let mut hash = Sha256::new();
    hash.update(job.to_le_bytes());
    hash.update(size.to_le_bytes());
    hash
}

/// The next so many bytes.
fn update(hash: &mut Sha256, from: &mut impl Read, size: u64) -> io::Result<()> {
    let mut some = vec![0; 1 << 16];
    let mut left = size;
    while left > 0 {
        let now = left.min(some.len() as u64) as usize;
        from.read_exact(&mut some[..now])?;
        hash.update(&some[..now]);
        left -= now as u64;
    }
    Ok(())
}

fn finished(hash: Sha256) -> u64 {
    let digest = hash.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("eight bytes"))
}

/// Makes the folders above a file; those that were not there, the innermost first.
fn make_parents(path: &Path) -> io::Result<Vec<PathBuf>> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let above = path.ancestors().skip(1);
    let made: Vec<PathBuf> = above.take_while(missing).map(PathBuf::from).collect();
    match made.first() {
        Some(innermost) => fs::create_dir_all(innermost).map(|()| made),
        None => Ok(made),
    }
}

/// Opens or makes the file, for one command at a time.
fn locked(path: &Path, target: &Path) -> Result<File> {
    loop {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .with_context(|| {
                let shown = target.display();
                format!("{shown}: cannot write beside it; choose another --out")
            })?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!(
                "{}: another fit is working for this folder; wait for it, or choose another --out",
                target.display()
            );
        }
        // (one that has just finished takes its file away, locked or not)
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |of: io::Result<fs::Metadata>| of.map(|file| (file.dev(), file.ino())).ok();
    id(file.metadata()) == id(fs::metadata(path))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Tells fits apart: what decides on what a job finds.
pub struct Fingerprint {
    program: String,
    data: u64,
    settings: u64,
}

impl Fingerprint {
    /// Of a fit of these data with these settings.
    pub fn of(data: &Dataset, settings: &Settings) -> Self {
        let set = InstructionSet::in_use().name();
        Fingerprint {
            program: format!("{} {set}", env!("CARGO_PKG_VERSION")),
            data: hashed(data),
            settings: JobId::of(format!("{settings:?}")).0,
        }
    }

    fn line(&self) -> String {
        let Fingerprint {
            program,
            data,
            settings,
        } = self;
        format!("{MAGIC} {program} data {data:016x} settings {settings:016x}\n")
    }

    /// What is different about a fit with this line.
    fn difference(&self, line: &str) -> &'static str {
        let word = |after: &str, value: u64| line.contains(&format!("{after} {value:016x}"));
        match () {
            () if !line.starts_with(&format!("{MAGIC} {} ", self.program)) => {
                "of another version or instruction set"
            }
            () if !word("data", self.data) && !word("settings", self.settings) => {
                "of other data and settings"
            }
            () if !word("data", self.data) => "of other data",
            () => "with other settings",
        }
    }
}

fn hashed(data: &Dataset) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{:?} {} {}", data.response(), data.imputes(), data.chains()).hash(&mut hasher);
    data.features().hash(&mut hasher);
    for column in data.columns() {
        column.len().hash(&mut hasher);
        for value in column.iter() {
            value.to_bits().hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(data: u64, settings: u64) -> Fingerprint {
        Fingerprint {
            program: "1.2.3 avx2".into(),
            data,
            settings,
        }
    }

    fn opened(target: &Path, fit: &Fingerprint) -> Result<Ledger> {
        let ledger = Ledger::lock(target)?;
        ledger.identify(fit)?;
        Ok(ledger)
    }

    fn problem(target: &Path, fit: &Fingerprint) -> String {
        opened(target, fit)
            .err()
            .expect("it is refused")
            .to_string()
    }

    #[test]
    fn what_is_done_comes_back_and_what_another_fit_did_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("deep/fit");
        let ours = fit(1, 2);
        let ledger = opened(&target, &ours).unwrap();
        assert_eq!(ledger.place().kept(), None);
        assert!(problem(&target, &ours).contains("another fit is working"));
        ledger.keep(JobId(3), b"three").unwrap();
        ledger.keep(JobId(0), b"").unwrap();
        let path = ledger.place().path().to_path_buf();
        drop(ledger);
        let before = fs::read(&path).unwrap();
        // an entry that was not finished
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&before[before.len() - 20..]).unwrap();
        let again = opened(&target, &ours).unwrap();
        assert_eq!(again.place().len(), 2);
        assert_eq!(again.kept(JobId(3)).as_deref(), Some(&b"three"[..]));
        assert_eq!(again.kept(JobId(0)).as_deref(), Some(&b""[..]));
        assert_eq!(again.kept(JobId(5)), None);
        drop(again);
        assert_eq!(fs::read(&path).unwrap(), before);
        for (other, what) in [
            (fit(9, 2), "(of other data)"),
            (fit(1, 9), "(with other settings)"),
            (fit(9, 9), "(of other data and settings)"),
        ] {
            let problem = problem(&target, &other);
            assert!(problem.contains(what), "{problem}");
            assert_eq!(fs::read(&path).unwrap(), before);
        }
        opened(&target, &ours).unwrap().finish().unwrap();
        assert_eq!(fs::read_dir(home.path().join("deep")).unwrap().count(), 0);
    }

    /// A power cut may leave anything at the end, and any byte may be wrong.
    #[test]
    fn what_is_spoilt_is_done_again_and_nothing_panics() {
        let home = tempfile::tempdir().unwrap();
        let (target, ours) = (home.path().join("fit"), fit(1, 2));
        let ledger = opened(&target, &ours).unwrap();
        ledger.keep(JobId(1), &[7; 40]).unwrap();
        ledger.keep(JobId(2), &[8; 40]).unwrap();
        let path = ledger.place().path().to_path_buf();
        drop(ledger);
        let whole = fs::read(&path).unwrap();
        let line = ours.line().len();
        for at in line..whole.len() {
            let mut spoilt = whole.clone();
            spoilt[at] ^= 0x10;
            fs::write(&path, &spoilt).unwrap();
            let ledger = opened(&target, &ours).unwrap();
            let first_is_whole = at >= line + HEAD + 40;
            assert_eq!(ledger.place().len(), usize::from(first_is_whole), "{at}");
            assert_eq!(ledger.kept(JobId(2)), None);
            ledger.keep(JobId(2), &[8; 40]).unwrap();
            drop(ledger);
            let again = opened(&target, &ours).unwrap();
            assert_eq!(again.kept(JobId(2)).as_deref(), Some(&[8; 40][..]));
        }
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let ledger = opened(&target, &ours).unwrap();
            assert_eq!(ledger.place().len(), usize::from(end >= line + HEAD + 40));
        }
    }

    #[test]
    fn a_line_alone_is_anyones_and_what_is_no_ledger_is_not_touched() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("fit");
        let path = home.path().join(".fit.runs");
        for begun in [fit(1, 2).line(), fit(1, 2).line()[..30].to_string()] {
            fs::write(&path, begun).unwrap();
            let ledger = opened(&target, &fit(3, 4)).unwrap();
            ledger.keep(JobId(1), b"1").unwrap();
            drop(ledger);
            let again = opened(&target, &fit(3, 4)).unwrap();
            assert_eq!(again.place().len(), 1);
            again.finish().unwrap();
        }
        for other in ["my notes", "0123456789abcdef\n3:1 2\n"] {
            fs::write(&path, other).unwrap();
            assert!(problem(&target, &fit(3, 4)).contains("another version"));
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
    }

    #[test]
    fn a_fit_that_did_nothing_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("a/b/fit");
        drop(opened(&target, &fit(1, 2)).unwrap());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }
}
