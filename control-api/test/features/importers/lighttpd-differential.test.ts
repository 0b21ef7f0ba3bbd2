// SPDX-License-Identifier: MIT
// Debian's lighttpd and a node with what was imported from it: the same files, the same requests.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { importLighttpd } from '../../../src/features/importers/lighttpd/import.ts'
import { type Ports, put } from './differential.ts'
import { everyAnswer, placedIn } from './old-server.ts'

everyAnswer({
  language: 'lighttpd',
  program: 'lighttpd',
  imports: importLighttpd,
  configure(texts, dir, ports) {
    put(join(dir, 'srv/www/errors/e-404.html'), '<h1>a page for 404</h1>')
    mkdirSync(join(dir, 'logs'))
    for (const [file, text] of texts) put(join(dir, 'lighttpd', file), placed(text, dir, ports))
    return join(dir, 'lighttpd', texts.has('site.conf') ? 'site.conf' : 'lighttpd.conf')
  },
  args: (main) => ['-D', '-f', main],
})

/** With other ports, and no user to become. */
const placed = (text: string, dir: string, ports: Ports) =>
  placedIn(
    text.replaceAll(
      /^(server\.(username|groupname|pid-file|upload-dirs|max-fds)|include_shell .*ipv6).*$/gm,
      '',
    ),
    dir,
  )
    .replaceAll('/var/log/lighttpd/', `${dir}/logs/`)
    .replaceAll('"0.0.0.0:443"', `"127.0.0.1:${ports['443']}"`)
    .replaceAll(/^server\.port( *)= 80$/gm, `server.port$1= ${ports['80']}`)
