// SPDX-License-Identifier: MIT
// Debian's Apache and a node with what was imported from it: the same files, the same requests.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { importApache } from '../../../src/features/importers/apache/import.ts'
import { type Ports, put } from './differential.ts'
import { everyAnswer, placedIn } from './old-server.ts'

/** What Debian loads, and what its users add for files. */
const MODULES =
  `mpm_event access_compat alias auth_basic authn_core authn_file authz_core authz_host authz_user
  autoindex deflate dir env expires filter headers mime negotiation proxy proxy_http rewrite setenvif socache_shmcb ssl
  status`.split(/\s+/)

everyAnswer({
  language: 'apache',
  program: 'apache2',
  imports: importApache,
  configure,
  args: (main) => ['-D', 'FOREGROUND', '-f', main],
})

function configure(texts: ReadonlyMap<string, string>, dir: string, ports: Ports): string {
  // Its children are www-data where the tests are root.
  chmodSync(dir, 0o755)
  mkdirSync(join(dir, 'logs'))
  for (const [name, text] of texts) {
    const isServed = name.startsWith('srv/')
    put(join(dir, isServed ? '' : 'apache', name), placed(text, dir, ports))
  }
  const main = join(dir, 'apache/main.conf')
  const lines = [
    ...MODULES.map((one) => `LoadModule ${one}_module /usr/lib/apache2/modules/mod_${one}.so`),
    ...['User www-data', 'Group www-data', `ServerRoot ${dir}/apache`, `PidFile ${dir}/pid`],
    ...[
      `DefaultRuntimeDir ${dir}`,
      `ErrorLog ${dir}/logs/apache.log`,
      'TypesConfig /etc/mime.types',
    ],
    ...['ServerName localhost', `Include ${texts.has('site.conf') ? 'site.conf' : 'apache.conf'}`],
  ]
  put(main, `${lines.join('\n')}\n`)
  return main
}

/** With other ports, and no user to become. */
const placed = (text: string, dir: string, ports: Ports) =>
  placedIn(text.replaceAll(/^(User|Group|PidFile|DefaultRuntimeDir) .*$/gm, ''), dir)
    .replaceAll(/\$\{APACHE_LOG_DIR\}|\/var\/log\/apache2/g, `${dir}/logs`)
    .replaceAll(/^(\s*)Listen (80|443)/gm, (_, blank, port: '80' | '443') => {
      return `${blank}Listen 127.0.0.1:${ports[port]}`
    })
    .replaceAll(/\*:(80|443)/g, (_, port: '80' | '443') => `*:${ports[port]}`)
