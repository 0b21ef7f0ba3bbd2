// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { compareCommand, listCommand, namesOfDraft, namesOfReport, usualNames } from './command.ts'

const draftOf = (listen: object[], ...hosts: string[]) =>
  `// From nginx\n{\n  "listen": ${JSON.stringify(listen)},\n  "sites": [\n    // shop\n    { "hosts": ${JSON.stringify(hosts)}, "root": "/srv" }\n  ]\n}\n`

test('of a draft: its first whole name, and a node beside it on other ports', () => {
  const names = namesOfDraft(draftOf([{ port: 443, tls: true }, { port: 80 }], '*.a', 'shop.a'))
  expect(listCommand(names)).toBe(
    "farmctl load http://localhost:80/ --crawl --save-urls urls.txt --header 'Host: shop.a'",
  )
  expect(compareCommand(names)).toBe(
    'farmctl compare-servers http://localhost:80 http://localhost:8080 --urls urls.txt --host shop.a --json --markdown comparison.md > comparison.json',
  )
})

test.each([
  ['TLS alone', draftOf([{ port: 443, tls: true }], 'a'), 'https://localhost:8443', 'a'],
  ['another port', draftOf([{ port: 81 }], '*'), 'http://localhost:82', null],
  ['a socket', draftOf([{ socket: '/run/x' }]), 'http://localhost:8080', null],
  ['no config', '[7', 'http://localhost:8080', null],
])('of a draft with %s', (_, draft, now, host) => {
  expect(namesOfDraft(draft)).toMatchObject({ now, host })
})

test('names of a report are words in a shell, whatever they are', () => {
  const servers = { old: 'http://a:80', new: 'http://b:80' }
  expect(compareCommand(namesOfReport({ servers, host: null }))).toContain('http://a:80 http://b')
  const wicked = compareCommand({ ...usualNames, host: "x'; rm -rf $HOME #" })
  expect(wicked).toContain(`--host 'x'\\''; rm -rf $HOME #' --json`)
})
