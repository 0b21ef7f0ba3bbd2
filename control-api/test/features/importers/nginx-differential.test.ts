// SPDX-License-Identifier: MIT
// Debian's nginx and a node with what was imported from it: the same files, the same requests.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importNginx } from '../../../src/features/importers/nginx/import.ts'
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

const CORPUS = resolve(import.meta.dirname, 'corpus/nginx')
const WITHIN_MS = 120_000

const isHere = spawnSync('which', ['nginx']).status === 0
const names = readdirSync(CORPUS).sort()

describe.skipIf(!isHere)('a node does what nginx did', () => {
  test.each(names)('%s', { timeout: WITHIN_MS }, async (name) => {
    const dir = tempDir()
    const [old, ports] = [await newPorts(), await newPorts()]
    const texts = textsOf(join(CORPUS, name))
    for (const root of foldersIn(texts)) writeTree(join(dir, root))
    certificate(join(dir, 'ssl'))
    put(join(dir, 'club.htpasswd'), `ann:${PASSWORD_HASH}\n`)
    const main = configure(dir, texts, old)
    const imported = importNginx([main], sourceOf(filesBelow(join(dir, 'nginx'))))
    expect(imported.draft, 'a draft').not.toBeNull()
    const draft = moved(imported.draft ?? '', dir, old, ports)
    writeFileSync(join(dir, 'node.jsonc'), draft)
    expect(checkOf(draft)).toMatch(/^stdin: right/m)
    mkdirSync(join(dir, 'copies'), { mode: 0o700 })
    const nginx = await startProgram('nginx', ['-p', dir, '-c', main, '-e', 'stderr'], old['80'])
    const node = await startNode(
      join(dir, 'node.jsonc'),
      draft.includes(`"port": ${ports['80']}`) ? ports['80'] : ports['443'],
    )
    try {
      const allowed = [...texts.values()].flatMap(allowedIn)
      const wrong = await untold(draft, imported.findings, allowed, { old, node: ports })
      expect(wrong).toEqual([])
    } finally {
      await Promise.all([nginx.stop(), node.stop()])
    }
  })
})

/** As it stands on this machine: another folder, other ports, and no user to become. */
function configure(dir: string, texts: ReadonlyMap<string, string>, ports: Ports): string {
  for (const [name, text] of texts) put(join(dir, 'nginx', name), placed(text, dir, ports))
  for (const name of ['mime.types', 'fastcgi_params'])
    cpSync(`/etc/nginx/${name}`, join(dir, 'nginx', name))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((one) => `${one}_temp_path ${dir}/tmp;`)
    .join(' ')
  const main = join(dir, 'nginx/main.conf')
  const full = texts.get('nginx.conf')
  const text = full
    ? placed(full, dir, ports).replace('http {', `http { ${temporary}`)
    : `events {} http { access_log off; include mime.types; default_type application/octet-stream; ${temporary} include site.conf; }`
  put(main, `daemon off; user root; pid ${dir}/pid;\n${text}`)
  return main
}

const placed = (text: string, dir: string, ports: Ports) =>
  text
    .replaceAll(/^(user|pid|worker_rlimit_nofile) .*$/gm, '')
    .replaceAll('/srv/', `${dir}/srv/`)
    .replaceAll('/etc/ssl/', `${dir}/ssl/`)
    .replaceAll('/etc/nginx/', `${dir}/`)
    .replaceAll('/var/log/nginx/', `${dir}/`)
    .replaceAll(/listen \[::\]:(\d+)[^;]*;/g, '')
    .replaceAll(/listen (80|443)/g, (_, port: '80' | '443') => `listen 127.0.0.1:${ports[port]}`)
