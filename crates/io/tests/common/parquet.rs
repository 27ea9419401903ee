//! Parquet files made by the `parquet` crate.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// A column: its declaration in the schema, and its values.
pub enum Column {
    Int32(&'static str, Vec<Option<i32>>),
    Int64(&'static str, Vec<Option<i64>>),
    Double(&'static str, Vec<Option<f64>>),
    Text(&'static str, Vec<Option<String>>),
}

impl Column {
    fn declared(&self) -> &'static str {
        match self {
            Column::Int32(declared, _) => declared,
            Column::Int64(declared, _) => declared,
            Column::Double(declared, _) => declared,
            Column::Text(declared, _) => declared,
        }
    }
}

/// Levels and values of a column whose values may be missing.
fn split<T: Clone>(values: &[Option<T>]) -> (Vec<i16>, Vec<T>) {
    let levels = values.iter().map(|value| value.is_some().into()).collect();
    (levels, values.iter().flatten().cloned().collect())
}

/// A file with these columns, in one row group.
pub fn written(compression: Compression, dictionary: bool, columns: &[Column]) -> Vec<u8> {
    let declared: String = columns.iter().map(|column| format!("{} ", column.declared())).collect();
    let schema = Arc::new(parse_message_type(&format!("message m {{ {declared} }}")).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionary)
        .build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    let mut group = file.next_row_group().unwrap();
    for column in columns {
        let mut writer = group.next_column().unwrap().unwrap();
        match column {
            Column::Int32(_, values) => {
                let (levels, values) = split(values);
                writer.typed::<Int32Type>().write_batch(&values, Some(&levels), None)
            }
            Column::Int64(_, values) => {
                let (levels, values) = split(values);
                writer.typed::<Int64Type>().write_batch(&values, Some(&levels), None)
            }
            Column::Double(_, values) => {
                let (levels, values) = split(values);
                writer.typed::<DoubleType>().write_batch(&values, Some(&levels), None)
            }
            Column::Text(_, values) => {
                let (levels, values) = split(values);
                let values: Vec<_> = values.iter().map(|v| ByteArray::from(v.as_str())).collect();
                writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)
            }
        }
        .unwrap();
        writer.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
    bytes
}
