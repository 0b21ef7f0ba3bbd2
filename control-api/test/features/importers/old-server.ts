// SPDX-License-Identifier: MIT
// The lay-out that all old servers share: each config of a corpus on this machine, an old server and a node with its import over the
// same files, and every answer that differs without the report saying so.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Imported } from '../../../src/features/importers/imported.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
import type { Source } from '../../../src/features/importers/tree.ts'
import { tempDir } from '../../helper.ts'
import { checkOf } from './check-of.ts'
import {
  allowedIn,
  certificate,
  newPorts,
  PASSWORD_HASH,
  type Ports,
  put,
  startNode,
  startProgram,
  writeTree,
} from './differential.ts'
import { filesBelow, foldersIn, moved, textsOf, untold } from './same-answers.ts'

export type OldServer = {
  /** Of the corpus, of the program's config folder here, and of its main file. */
  language: string
  program: string
  imports: (mains: string[], source: Source) => Imported
  /** Puts the config there as it stands on this machine; answers with its main file. */
  configure: (texts: ReadonlyMap<string, string>, dir: string, ports: Ports) => string
  args: (main: string, dir: string) => string[]
}

const WITHIN_MS = 120_000

export function everyAnswer(server: OldServer): void {
  const { language, program } = server
  const corpus = resolve(import.meta.dirname, 'corpus', language)
  // Who has not all of them may go without; CI has them, and there nothing is passed over.
  const isHere = spawnSync('which', [program]).status === 0 || process.env.CI !== undefined
  describe.skipIf(!isHere)(`a node does what ${program} did`, () => {
    test.each(readdirSync(corpus).sort())('%s', { timeout: WITHIN_MS }, async (name) => {
      const dir = tempDir()
      const [old, ports] = [await newPorts(), await newPorts()]
      const texts = textsOf(join(corpus, name))
      for (const root of foldersIn(texts)) writeTree(join(dir, root))
      certificate(join(dir, 'ssl'))
      put(join(dir, 'srv/club.htpasswd'), `ann:${PASSWORD_HASH}\n`)
      const main = server.configure(texts, dir, old)
      const files = [...filesBelow(join(dir, language)), ...htaccessBelow(dir)]
      const imported = server.imports([main], sourceOf(files))
      expect(imported.draft, 'a draft').not.toBeNull()
      const draft = moved(imported.draft ?? '', dir, old, ports)
      writeFileSync(join(dir, 'node.jsonc'), draft)
      expect(checkOf(draft)).toMatch(/^stdin: right/m)
      mkdirSync(join(dir, 'copies'), { mode: 0o700 })
      const before = await startProgram(program, server.args(main, dir), old['80'])
      onTestFinished(() => before.stop())
      const first = draft.includes(`"port": ${ports['80']}`) ? ports['80'] : ports['443']
      const node = await startNode(join(dir, 'node.jsonc'), first)
      onTestFinished(() => node.stop())
      const allowed = [...texts.values()].flatMap(allowedIn)
      const wrong = await untold(draft, imported.findings, allowed, { old, node: ports })
      expect(wrong).toEqual([])
    })
  })
}

const htaccessBelow = (dir: string) =>
  filesBelow(join(dir, 'srv')).filter(({ path }) => path.endsWith('/.htaccess'))

/** In the folder of this test, in place of the system's. */
export const placedIn = (text: string, dir: string): string =>
  text
    .replaceAll('/srv/', `${dir}/srv/`)
    .replaceAll('"/srv"', `"${dir}/srv"`)
    .replaceAll('/etc/ssl/', `${dir}/ssl/`)
