//! Writes the seeds of all targets into `fuzz/corpus/`: small files of every kind.

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
    NullArray, RecordBatch, StringArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use flate2::{Compression, write::GzEncoder};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Packing;
use parquet::file::properties::WriterProperties;
use std::error::Error;
use std::fs;
use std::io::{Cursor, Write};
use std::sync::Arc;
use threshnet::report::{FitReport, Fitted, Origin};
use threshnet::settings::{Request, Value};
use threshnet::simulate::{Scenario, Simulation};
use threshnet::solver::Unobserved;
use threshnet::threads;
use threshnet::tune::fit;
use threshnet_fuzz::corpus;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    texts()?;
    arrays()?;
    tables()?;
    lists()?;
    fits()
}

fn put(target: &str, name: &str, bytes: impl AsRef<[u8]>) -> Done {
    let folder = corpus().join(target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(name), bytes)?)
}

fn zipped(text: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(text)?;
    Ok(encoder.finish()?)
}

fn texts() -> Done {
    let plain = [
        ("numbers", "a,b,y\n1,2,3\n4,-5e-1,6\n.5,1e3,-7\n"),
        (
            "quoted",
            "\"a\"\"b\",y\n\"x, y\",1\n\"two\nlines\",2\nx,3\n",
        ),
        ("windows", "a;y\r\n1,5;2\r\n\r\n2,5;3\r\n"),
        ("tabs", "a\tb\ty\n1\tx\t0\n2\ty\t1\n3\tx\t1\n"),
        ("blanks", "a y\n\"r 1\" 1 2\n\"r 2\" 3 4\n"),
        ("missing", "a,b,y\n1,NA,3\n,<5,1\n12 %,2024-01-31,0\n"),
        ("survival", "time,event,age\n1,1,50\n2.5,0,61\n3,1,47\n"),
        ("formulas", "'=a,y\n'@x,1\n-2,2\n''+z,3\n"),
        ("marked", "\u{feff}a,y\n1,2\n3,4\n"),
        ("macs", "a,y\r1,2\r3,4\r"),
    ];
    for (name, text) in plain {
        put("csv", name, text)?;
        put("csv_gz", name, zipped(text.as_bytes())?)?;
        let manner: &[u8] = if name == "windows" {
            &[0, 2, 3]
        } else {
            &[4, 0, 0]
        };
        put("csv_manner", name, [manner, text.as_bytes()].concat())?;
    }
    let wide: Vec<u8> = "a,y\n1,2\n3,µ\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    put("csv", "wide", &wide)?;
    put("csv_manner", "wide", [&[3, 0, 1], &wide[..]].concat())?;
    put(
        "csv_manner",
        "latin",
        b"\x02\x02\x03gr\xf6\xdfe;y\n1.234,5;<2\n-99;3\n",
    )?;
    for cell in [
        "1.234,56",
        "<0.5",
        "12 %",
        "=1+1",
        "''=x",
        "2024-01-31",
        "-99",
        "1e999",
    ] {
        let name: String = cell.chars().filter(char::is_ascii_alphanumeric).collect();
        put("cell", &format!("cell-{name}"), cell)?;
    }
    Ok(())
}

/// An array as NumPy writes it.
fn npy(dtype: &str, fortran: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    let text = format!("{text:117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

fn little<const N: usize, T: Copy>(values: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

fn arrays() -> Done {
    let doubles = little(&[1.0, 2.0, 0.5, -3.0, 4.0, 1e3], f64::to_le_bytes);
    put("npy", "rows", npy("<f8", "False", "(3, 2)", &doubles))?;
    put("npy", "columns", npy("<f8", "True", "(2, 3)", &doubles))?;
    put("npy", "flat", npy("<f4", "False", "(12,)", &doubles))?;
    put("npy", "big", npy(">i2", "False", "(6, 4)", &doubles))?;
    put("npy", "yes", npy("|b1", "False", "(16, 3)", &doubles))?;
    put("npy", "text", npy("<U3", "False", "(4,)", &doubles))?;

    let ints = |values: &[i32]| {
        let shape = format!("({},)", values.len());
        npy("<i4", "False", &shape, &little(values, i32::to_le_bytes))
    };
    let values = |values: &[f64]| {
        let shape = format!("({},)", values.len());
        npy("<f8", "False", &shape, &little(values, f64::to_le_bytes))
    };
    let shape = npy(
        "<i8",
        "False",
        "(2,)",
        &little(&[3i64, 2], i64::to_le_bytes),
    );
    let compressed = |format: &str, indices: &[i32], indptr: &[i32]| {
        vec![
            ("format", npy("|S3", "False", "()", format.as_bytes())),
            ("shape", shape.clone()),
            ("indices", ints(indices)),
            ("indptr", ints(indptr)),
            ("data", values(&[1.0, -2.0, 3.5])),
        ]
    };
    let listed = vec![
        ("format", npy("|S3", "False", "()", b"coo")),
        ("shape", shape.clone()),
        ("row", ints(&[2, 0, 2])),
        ("col", ints(&[1, 1, 0])),
        ("data", npy("|b1", "False", "(3,)", &[1, 1, 1])),
    ];
    for (name, parts) in [
        ("csr", compressed("csr", &[0, 1, 1], &[0, 2, 2, 3])),
        ("csc", compressed("csc", &[0, 2, 1], &[0, 2, 3])),
        ("coo", listed),
    ] {
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let mut zip = ZipWriter::new(Cursor::new(vec![]));
            let options = SimpleFileOptions::default().compression_method(method);
            for (part, bytes) in &parts {
                zip.start_file(format!("{part}.npy"), options)?;
                zip.write_all(bytes)?;
            }
            put(
                "npz",
                &format!("{name}-{method:?}"),
                zip.finish()?.into_inner(),
            )?;
        }
    }
    for (name, text) in [
        (
            "cells",
            "coordinate real general\n% c\n3 2 3\n1 1 .5\n3 2 -1e2\n2 1 3\n",
        ),
        ("places", "coordinate pattern general\n2 3 2\n1 3\n2 1\n"),
        (
            "half",
            "coordinate integer symmetric\n2 2 2\n1 1 1\n2 1 5\n",
        ),
        ("skew", "array real skew-symmetric\n3 3\n1\n2\n3\n"),
        ("all", "array real general\n2 3\n1\n2\n3\n0\n5\n6"),
    ] {
        put("mtx", name, format!("%%MatrixMarket matrix {text}"))?;
    }
    Ok(())
}

fn batch() -> Result<RecordBatch, Box<dyn Error>> {
    let sexes: DictionaryArray<Int8Type> = vec![Some("f"), None, Some("m")].into_iter().collect();
    let columns: [(&str, ArrayRef); 8] = [
        (
            "double",
            Arc::new(Float64Array::from(vec![1.5, f64::NAN, -2.0])),
        ),
        (
            "single",
            Arc::new(Float32Array::from(vec![Some(0.1), None, Some(3.0)])),
        ),
        ("whole", Arc::new(Int64Array::from(vec![3, -4, 5]))),
        ("yes", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("text", Arc::new(StringArray::from(vec!["=x", "y", "x"]))),
        ("sex", Arc::new(sexes)),
        ("day", Arc::new(Date32Array::from(vec![0, 1, 2]))),
        ("y", Arc::new(Int64Array::from(vec![0, 1, 1]))),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn tables() -> Done {
    let (batch, nothing) = (
        batch()?,
        RecordBatch::try_from_iter([("y", Arc::new(NullArray::new(3)) as ArrayRef)])?,
    );
    for (name, compression) in [
        ("plain", None),
        ("lz4", Some(CompressionType::LZ4_FRAME)),
        ("zstd", Some(CompressionType::ZSTD)),
    ] {
        for (of, batch) in [("columns", &batch), ("nothing", &nothing)] {
            let options = IpcWriteOptions::default().try_with_compression(compression)?;
            let mut bytes = vec![];
            let mut writer =
                FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options)?;
            writer.write(batch)?;
            writer.write(batch)?;
            writer.finish()?;
            drop(writer);
            put("arrow", &format!("{of}-{name}"), bytes)?;
        }
    }
    for (name, packing) in [
        ("plain", Packing::UNCOMPRESSED),
        ("snappy", Packing::SNAPPY),
        ("lz4", Packing::LZ4_RAW),
        ("brotli", Packing::BROTLI(Default::default())),
        ("zstd", Packing::ZSTD(Default::default())),
        ("gzip", Packing::GZIP(Default::default())),
    ] {
        let properties = WriterProperties::builder().set_compression(packing).build();
        let mut bytes = vec![];
        // (two columns: the footer of more is most of the file)
        let few = batch.project(&[0, 7])?;
        let mut writer = ArrowWriter::try_new(&mut bytes, few.schema(), Some(properties))?;
        writer.write(&few)?;
        writer.close()?;
        put("parquet", name, bytes)?;
    }
    Ok(())
}

/// The first byte says which list it is.
fn lists() -> Done {
    put("lists", "folds", b"\0fold\n1\n2\n1\n")?;
    put("lists", "names", b"\x01gene 1\ny\n")?;
    put(
        "lists",
        "factors",
        b"\x02column,factor\na,0\n\"=c\",2.5\nb,inf\n",
    )?;
    put("lists", "groups", b"\x03column,group\na,one\nb,one\n")
}

/// Quick fits of every task.
fn fits() -> Done {
    for (scenario, hidden, validation) in [
        (Scenario::Regression, "3", "draws:2"),
        (Scenario::Classification, "2", "cv:2"),
        (Scenario::Survival, "2", "draws:2"),
        (Scenario::Hierarchical, "none", "cv:2"),
        (Scenario::Rare, "2,2", "holdout:0.3"),
    ] {
        let data = Simulation::new(scenario, 60, 4).draw()?;
        let mut request = Request::default();
        for (name, text) in [
            ("hidden", hidden),
            ("validation", validation),
            ("lambdas", "0.02,0.1"),
            ("ridges", "0.01,0.1"),
            ("epochs", "10"),
            ("first_epochs", "30"),
        ] {
            request.set(name, Value::Text(text.into()))?;
        }
        let settings = request.settings_for(&data)?;
        let fit = threads::pool(Some(1))?.install(|| fit(&data, &settings, &Unobserved))?;
        let mut report = FitReport::new(&Fitted {
            data: &data,
            request: &request,
            settings: &settings,
            fit: &fit,
            controlled: None,
            nested: None,
            importance: None,
            seconds: 0.0,
            explain: true,
        })?;
        report.origin = Some(Origin {
            command: vec!["threshnet".into(), "fit".into(), "=a b.csv".into()],
            file: None,
        });
        put("model", scenario.name(), fit.model.to_json())?;
        if let Some(ensemble) = &fit.ensemble {
            // (a forest alone would be a large seed)
            let mut model = ensemble.model.clone();
            if let Some(shared) = &mut model.forest {
                shared.forest.trees.truncate(2);
            }
            put(
                "model",
                &format!("{}-ensemble", scenario.name()),
                model.to_json(),
            )?;
        }
        put("report", scenario.name(), report.to_json())?;
    }
    Ok(())
}
