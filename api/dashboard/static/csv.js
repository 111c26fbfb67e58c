// Comma-separated values (RFC 4180), for glossaries.

/** The rows of a CSV text; a byte-order mark is dropped. */
export function parseCsv(text) {
  const rows = [];
  let row = [], field = "", quoted = false;
  const source = text.replace(/^\ufeff/, "");
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (quoted) {
      if (character !== '"') field += character;
      else if (source[at + 1] === '"') { field += '"'; at += 1; }
      else quoted = false;
    } else if (character === '"' && field === "") quoted = true;
    else if (character === ",") { row.push(field); field = ""; }
    else if (character === "\n" || character === "\r") {
      if (character === "\r" && source[at + 1] === "\n") at += 1;
      row.push(field);
      rows.push(row);
      row = [];
      field = "";
    } else field += character;
  }
  if (field !== "" || row.length) rows.push([...row, field]);
  return rows.filter((each) => each.some((cell) => cell.trim() !== ""));
}

/** Rows as CSV with a byte-order mark, which spreadsheets need for Arabic. A cell never starts a formula. */
export function formatCsv(rows) {
  const cell = (value) => {
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `\ufeff${rows.map((row) => row.map((value) => cell(String(value))).join(",")).join("\r\n")}\r\n`;
}
