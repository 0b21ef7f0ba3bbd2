// SPDX-License-Identifier: MIT
// Debian's lighttpd and a node with what was imported from it: the same files, the same requests.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importLighttpd } from '../../../src/features/importers/lighttpd/import.ts'
import { sourceOf } from '../../../src/features/importers/source.ts'
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

const CORPUS = resolve(import.meta.dirname, 'corpus/lighttpd')
const WITHIN_MS = 120_000

const isHere = spawnSync('which', ['lighttpd']).status === 0
const names = readdirSync(CORPUS).sort()

describe.skipIf(!isHere)('a node does what lighttpd did', () => {
  test.each(names)('%s', { timeout: WITHIN_MS }, async (name) => {
    const dir = tempDir()
    const [old, ports] = [await newPorts(), await newPorts()]
    const texts = textsOf(join(CORPUS, name))
    for (const root of foldersIn(texts)) writeTree(join(dir, root))
    put(join(dir, 'srv/www/errors/e-404.html'), '<h1>a page for 404</h1>')
    certificate(join(dir, 'ssl'))
    put(join(dir, 'srv/club.htpasswd'), `ann:${PASSWORD_HASH}\n`)
    for (const [file, text] of texts) put(join(dir, 'lighttpd', file), placed(text, dir, old))
    const main = join(dir, 'lighttpd', texts.has('site.conf') ? 'site.conf' : 'lighttpd.conf')
    const imported = importLighttpd([main], sourceOf(filesBelow(join(dir, 'lighttpd'))))
    const draft = moved(imported.draft ?? '', dir, old, ports)
    writeFileSync(join(dir, 'node.jsonc'), draft)
    expect(checkOf(draft)).toMatch(/^stdin: right/m)
    mkdirSync(join(dir, 'copies'), { mode: 0o700 })
    mkdirSync(join(dir, 'logs'))
    const lighttpd = await startProgram('lighttpd', ['-D', '-f', main], old['80'])
    const node = await startNode(join(dir, 'node.jsonc'), ports['80'])
    try {
      const allowed = [...texts.values()].flatMap(allowedIn)
      expect(await untold(draft, imported.findings, allowed, { old, node: ports })).toEqual([])
    } finally {
      await Promise.all([lighttpd.stop(), node.stop()])
    }
  })
})

/** As it stands on this machine: another folder, other ports, and no user to become. */
const placed = (text: string, dir: string, ports: Ports) =>
  text
    .replaceAll(
      /^(server\.(username|groupname|pid-file|upload-dirs|max-fds)|include_shell .*ipv6).*$/gm,
      '',
    )
    .replaceAll('/srv/', `${dir}/srv/`)
    .replaceAll('"/srv"', `"${dir}/srv"`)
    .replaceAll('/etc/ssl/', `${dir}/ssl/`)
    .replaceAll('/var/log/lighttpd/', `${dir}/logs/`)
    .replaceAll('"0.0.0.0:443"', `"127.0.0.1:${ports['443']}"`)
    .replaceAll(/^server\.port( *)= 80$/gm, `server.port$1= ${ports['80']}`)
