// SPDX-License-Identifier: MIT
// Debian's Caddy and a node with what was imported from it: the same files, the same requests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importCaddy } from '../../../src/features/importers/caddy/import.ts'
import { type Ports, put } from './differential.ts'
import { everyAnswer, placedIn } from './old-server.ts'

everyAnswer({
  language: 'caddy',
  program: 'caddy',
  imports: importCaddy,
  configure(texts, dir, ports) {
    mkdirSync(join(dir, 'logs'))
    const user = /^\t*(ann) (\$2a\S+)$/m.exec(texts.get('site.conf') ?? '')
    if (user) put(join(dir, 'srv/club.htpasswd'), `${user[1]}:${user[2]}\n`)
    for (const [file, text] of texts) put(join(dir, 'caddy', file), placedIn(text, dir))
    const own = join(dir, 'caddy', texts.has('site.conf') ? 'site.conf' : 'caddy.conf')
    const text = placed(texts.get('site.conf') ?? texts.get('caddy.conf') ?? '', dir, ports)
    writeFileSync(own, placedIn(text, dir))
    return own
  },
  args: (main) => ['run', '--adapter', 'caddyfile', '--config', main],
})

/** With other ports, nobody who gives orders, its own authority, and a folder of the test for what it keeps. */
function placed(text: string, dir: string, ports: Ports): string {
  const options = [
    ...[`http_port ${ports['80']}`, `https_port ${ports['443']}`, 'admin off', 'local_certs'],
    ...['skip_install_trust', `storage file_system ${dir}/kept`],
  ]
  const bare = text.replace(/^\tadmin off\n/m, '')
  const isOpen = /^\{$/m.test(bare)
  const lines = options.map((one) => `\t${one}\n`).join('')
  const all = isOpen ? bare.replace(/^\{$/m, `{\n${lines}`) : `{\n${lines}}\n${bare}`
  return all.replaceAll('/var/log/caddy/', `${dir}/logs/`).replace(/^:80$/m, `:${ports['80']}`)
}
