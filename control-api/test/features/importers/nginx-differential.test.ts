// SPDX-License-Identifier: MIT
// Debian's nginx and a node with what was imported from it: the same files, the same requests.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { importNginx } from '../../../src/features/importers/nginx/import.ts'
import { PASSWORD_HASH, type Ports, put } from './differential.ts'
import { everyAnswer, placedIn } from './old-server.ts'

everyAnswer({
  language: 'nginx',
  program: 'nginx',
  imports: importNginx,
  configure,
  args: (main, dir) => ['-p', dir, '-c', main, '-e', 'stderr'],
})

function configure(texts: ReadonlyMap<string, string>, dir: string, ports: Ports): string {
  put(join(dir, 'club.htpasswd'), `ann:${PASSWORD_HASH}\n`)
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

/** With other ports, and no user to become. */
const placed = (text: string, dir: string, ports: Ports) =>
  placedIn(text.replaceAll(/^(user|pid|worker_rlimit_nofile) .*$/gm, ''), dir)
    .replaceAll('/etc/nginx/', `${dir}/`)
    .replaceAll('/var/log/nginx/', `${dir}/`)
    .replaceAll(/listen \[::\]:(\d+)[^;]*;/g, '')
    .replaceAll(/listen (80|443)/g, (_, port: '80' | '443') => `listen 127.0.0.1:${ports[port]}`)
