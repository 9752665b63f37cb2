//! Arrow files, which is what version 2 of Feather is.

use super::batch::{Batch, broken, rows_at_a_time, source};
use super::{Manner, Source, most_columns, most_rows};
use anyhow::{Result, anyhow};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, MetadataVersion, root_as_footer_with_opts, root_as_message};
use arrow_schema::{ArrowError, Schema};
use flatbuffers::VerifierOptions;
use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// What a batch may be unpacked to, in bytes, unless it is packed but little.
const MOST_UNPACKED: u64 = 256 << 20;

/// How much smaller a larger batch may be packed.
const USUAL_PACKING: u64 = 64;

/// What the end of a file says of it.
struct Footer {
    schema: Arc<Schema>,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
}

/// Opens a file that is read one of its batches at a time, and only the columns that are wanted.
pub fn open(path: &Path, mut file: File, manner: &Manner) -> Result<Source> {
    let footer = Footer::read(&mut file).map_err(|error| broken(path, error))?;
    most_columns(footer.schema.fields().len() as u64)
        .map_err(|problem| anyhow!("{}: {problem}", path.display()))?;
    let (schema, shown) = (footer.schema.clone(), path.to_path_buf());
    Ok(source(path, &schema, manner, move |columns| {
        Batches::new(file, footer, columns).map_err(|error| broken(&shown, error))
    }))
}

impl Footer {
    fn read(file: &mut File) -> Result<Footer, ArrowError> {
        let length = file.metadata()?.len();
        let mut end = [0; 10];
        file.seek(SeekFrom::End(-10))?;
        file.read_exact(&mut end)?;
        let footer = read_footer_length(end)? as u64;
        let start = (length - 10).checked_sub(footer);
        let start = start.ok_or_else(|| wrong("it is shorter than its footer"))?;
        let mut bytes = vec![0; footer as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        let options = VerifierOptions {
            // (a table takes four bytes at least, unless it is told of more than once)
            max_tables: bytes.len() / 4,
            ..VerifierOptions::default()
        };
        let footer = root_as_footer_with_opts(&options, &bytes).map_err(wrong)?;
        let schema = footer.schema().ok_or_else(|| wrong("no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(wrong("its numbers have another order of bytes"));
        }
        let batches = footer.recordBatches().ok_or_else(|| wrong("no batches"))?;
        Ok(Footer {
            schema: Arc::new(try_fb_to_schema(schema)?),
            version: footer.version(),
            dictionaries: footer
                .dictionaries()
                .into_iter()
                .flatten()
                .copied()
                .collect(),
            batches: batches.iter().copied().collect(),
        })
    }
}

fn wrong(why: impl Display) -> ArrowError {
    ArrowError::IpcError(why.to_string())
}

/// The batches of a file, cut into pieces of a few rows: as numbers of 64 bit they take more room.
struct Batches {
    file: File,
    decoder: FileDecoder,
    blocks: Vec<Block>,
    /// The columns of a decoded batch that are wanted, if those are not all.
    picked: Option<Vec<usize>>,
    at_a_time: usize,
    /// How many batches have been begun, and how many rows they have.
    begun: usize,
    rows: u64,
    /// The batch that was begun last, and how many of its rows are handed out.
    batch: Option<RecordBatch>,
    done: usize,
}

impl Batches {
    fn new(mut file: File, footer: Footer, columns: &[usize]) -> Result<Batches, ArrowError> {
        let mut decoder = FileDecoder::new(footer.schema.clone(), footer.version);
        // The decoder looks for each column of the file among all that are wanted.
        let few = columns.len() * columns.len() < footer.schema.fields().len();
        if few {
            decoder = decoder.with_projection(columns.to_vec());
        }
        for block in &footer.dictionaries {
            let (bytes, _) = read(&mut file, block)?;
            decoder.read_dictionary(block, &bytes)?;
        }
        Ok(Batches {
            file,
            decoder,
            blocks: footer.batches,
            picked: (!few).then(|| columns.to_vec()),
            at_a_time: rows_at_a_time(columns.len()),
            begun: 0,
            rows: 0,
            batch: None,
            done: 0,
        })
    }

    /// Reads the next batch, if there is one.
    fn begin(&mut self) -> Result<bool, ArrowError> {
        let Some(block) = self.blocks.get(self.begun) else {
            return Ok(false);
        };
        let (bytes, rows) = read(&mut self.file, block)?;
        self.rows += rows;
        most_rows(self.rows).map_err(wrong)?;
        let batch = self.decoder.read_record_batch(block, &bytes)?;
        self.begun += 1;
        self.done = 0;
        self.batch = match (batch, &self.picked) {
            (Some(batch), Some(picked)) => Some(batch.project(picked)?),
            (batch, _) => batch,
        };
        Ok(true)
    }

    fn piece(&mut self) -> Result<Option<(RecordBatch, f64)>, ArrowError> {
        loop {
            if let Some(batch) = &self.batch
                && self.done < batch.num_rows()
            {
                let rows = self.at_a_time.min(batch.num_rows() - self.done);
                let piece = batch.slice(self.done, rows);
                self.done += rows;
                let begun = self.done as f64 / batch.num_rows() as f64;
                let share = (self.begun as f64 - 1.0 + begun) / self.blocks.len() as f64;
                return Ok(Some((piece, share)));
            }
            if !self.begin()? {
                return Ok(None);
            }
        }
    }
}

impl Iterator for Batches {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        self.piece().transpose()
    }
}

/// The bytes of a block and how many rows it has. What it says of its own sizes, packed and
/// unpacked, is compared with what is there: the decoder sets aside what it is told.
fn read(file: &mut File, block: &Block) -> Result<(Buffer, u64), ArrowError> {
    let there = file.metadata()?.len();
    let size = |length: i64| u64::try_from(length).map_err(|_| wrong("a size below 0"));
    let (start, head) = (size(block.offset())?, size(block.metaDataLength().into())?);
    let all = head.checked_add(size(block.bodyLength())?);
    let all = all.filter(|all| start.checked_add(*all).is_some_and(|end| end <= there));
    let all = all.ok_or_else(|| wrong("it is shorter than its footer says"))?;
    if head < 8 {
        return Err(wrong("a batch without a head"));
    }
    let mut bytes = vec![0; all as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    let (head, body) = bytes.split_at(head as usize);
    // (files before version 1.0 lack the first four bytes of 255)
    let message = match head.strip_prefix(&[0xff; 4]) {
        Some(rest) => &rest[4..],
        None => &head[4..],
    };
    let message = root_as_message(message).map_err(wrong)?;
    let of_dictionary = || message.header_as_dictionary_batch()?.data();
    let batch = message.header_as_record_batch().or_else(of_dictionary);
    let batch = batch.ok_or_else(|| wrong("a block that is no batch"))?;
    let mut unpacked: u64 = 0;
    for buffer in batch.buffers().into_iter().flatten() {
        let (start, length) = (size(buffer.offset())?, size(buffer.length())?);
        let end = start.checked_add(length);
        let end = end.filter(|end| *end <= body.len() as u64);
        let end = end.ok_or_else(|| wrong("a buffer outside of its batch"))?;
        let packed = &body[start as usize..end as usize];
        // (a packed buffer begins with its length, or with -1 if it is not packed after all)
        let length = match packed.first_chunk::<8>() {
            Some(said) if batch.compression().is_some() => match i64::from_le_bytes(*said) {
                -1 => length - 8,
                said => size(said)?,
            },
            _ => length,
        };
        unpacked = unpacked.saturating_add(length);
    }
    if unpacked > MOST_UNPACKED && unpacked / USUAL_PACKING > body.len() as u64 {
        return Err(wrong(format!(
            "a batch of {} bytes says it is unpacked to {unpacked}; more than {MOST_UNPACKED} \
             take batches of fewer rows",
            body.len()
        )));
    }
    let rows = size(batch.length())?;
    if rows > unpacked.saturating_mul(8) {
        return Err(wrong(format!("{rows} rows, but no cells for them")));
    }
    Ok((Buffer::from_vec(bytes), rows))
}
