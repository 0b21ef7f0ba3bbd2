// SPDX-License-Identifier: MIT
// Files from elsewhere: as a version of a config, and configs of other servers as drafts.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { parseApache } from '../../features/importers/apache/parser.ts'
import { parseCaddy } from '../../features/importers/caddy/parser.ts'
import { parseLighttpd } from '../../features/importers/lighttpd/parser.ts'
import { parseNginx } from '../../features/importers/nginx/parser.ts'
import { LANGUAGES, type Language } from '../../features/importers/request.ts'
import { type Source, Unreadable } from '../../features/importers/tree.ts'
import { bodyOf } from '../api.ts'
import type { Act, Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { diskSource, type FoundFile } from '../included-files.ts'
import { examples } from './examples.ts'
import { importFile } from './versions.ts'

/** Reading them finds what they include. */
const READERS: Record<Language, (main: readonly string[], source: Source) => unknown> = {
  nginx: parseNginx,
  lighttpd: parseLighttpd,
  apache: parseApache,
  caddy: parseCaddy,
}

type ImportOptions = { output?: string; message?: string }

export function registerImport(parent: Command, act: Act): void {
  const command = parent
    .command('import')
    .summary('save somebody else’s file as a version, or make a draft of another server’s config')
    .description(
      `With -m: save a file as a new version of a config; the same text again makes none. Without: read the config of another server (${LANGUAGES.join(', ')}) with what it includes, and print what becomes of each directive: not supported, taken over with a difference, taken over. Nothing is stored then: look the draft over and save it with -m or \`apply\`.`,
    )
    .argument(
      '<what>',
      `a config’s name; without -m whose config the file is: ${LANGUAGES.join(', ')}`,
    )
    .argument(
      '<file...>',
      'the file, or "-" for standard input; of another server its main file, or several',
    )
    .option('-m, --message <text>', 'why, for the history')
    .option('-o, --output <file>', 'write the draft there')
  examples(command, [
    'farmctl import nginx /etc/nginx/nginx.conf -o draft.jsonc > report.md',
    'farmctl import nginx /etc/nginx/sites-available/shop --json',
    'farmctl import lighttpd /etc/lighttpd/lighttpd.conf -o draft.jsonc > report.md',
    'farmctl import apache /etc/apache2/apache2.conf -o draft.jsonc > report.md',
    'farmctl import caddy /etc/caddy/Caddyfile -o draft.jsonc > report.md',
    'farmctl import default draft.jsonc -m "From the old farm"',
  ])
  act<ImportOptions>(command, async (tool, options, what = '', words) => {
    const files = words as unknown as readonly string[]
    const { message, output } = options
    const language = LANGUAGES.find((one) => one === what)
    if (message !== undefined) {
      if (files.length > 1) throw new Failure('A version is of one file.')
      await importFile(tool, { message }, [what, ...files])
    } else if (language) await importConfig(tool, { language, files, output })
    else {
      throw new Failure(
        `To save the file as a version of "${what}" say why: -m MESSAGE. Of other servers these are read: ${LANGUAGES.join(', ')}.`,
      )
    }
  })
}

type Asked = { language: Language; files: readonly string[]; output: string | undefined }

async function importConfig(tool: Tool, { language, files: named, output }: Asked): Promise<void> {
  if (named.includes('-')) {
    throw new Failure(
      'A config of another server is read from its file, beside which its includes are looked for: name that, not "-".',
    )
  }
  const main = named.map((file) => resolve(file))
  const files = filesOf(language, main)
  if (output !== undefined && files.some(({ path }) => path === resolve(output))) {
    throw new Failure(`${output} is a file of that config: write the draft to another.`)
  }
  tool.terminal.note(`${files.length} files: ${files.map(({ path }) => path).join(', ')}`)
  const body = { language, main, files }
  const imported = await bodyOf(tool.api().POST('/api/v1/imports', { body }))
  const { draft, ok, errors, report } = imported
  if (output !== undefined && draft !== null) writeFileSync(output, draft)
  tool.show(imported, () => [report])
  if (draft === null) {
    throw new Failure('Nothing of it is a static server’s work, so there is no draft.')
  }
  if (ok) return
  const said = errors.map(({ line, column, message }) => `draft:${line}:${column}: ${message}`)
  const why = `farmstead-node does not take the draft as it is:\n${said.join('\n')}`
  throw new Failure(why, EXIT.rejected)
}

function filesOf(language: Language, main: readonly string[]): FoundFile[] {
  const { source, files } = diskSource()
  try {
    READERS[language](main, source)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const { file, line, column } = error.place
    throw new Failure(`${file}:${line}:${column}: ${error.message}`, EXIT.rejected)
  }
  return files
}
