// SPDX-License-Identifier: MIT
// `npm run messages -w web-ui`: brings the catalogs up to date with the code. New messages come with an empty
// translation, those that the code no longer has go.
//   npm run messages -w web-ui -- --list FILE   writes { message: "file:line of its first use" } as well
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { languagesIn, readCatalogs, upToDate, writeCatalogs } from './catalogs.ts'
import { readMessages } from './read.ts'

const src = join(import.meta.dirname, '../../src')
const languages = join(src, 'languages')
const say = (line: string) => process.stdout.write(`${line}\n`)

const found = readMessages(src)
for (const language of languagesIn(languages)) {
  const catalogs = upToDate(readCatalogs(languages, language), found)
  writeCatalogs(languages, language, catalogs)
  const texts = [...Object.values(catalogs.start), ...Object.values(catalogs.rest)]
  const missing = texts.filter((text) => text === '').length
  say(`${language}: ${texts.length} messages, ${missing} not translated`)
}

const [option, file] = process.argv.slice(2)
if (option === '--list' && file !== undefined) {
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(found.messages), null, 2)}\n`)
}
