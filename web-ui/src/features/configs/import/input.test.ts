// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { knownImports as known } from '../../../test/samples.ts'
import {
  allEnabled,
  bodyFor,
  emptyInput,
  type ImportInput,
  pathOf,
  placedNames,
  settled,
  unlinkedFolders,
  whyNotImport,
  withFiles,
  withoutFile,
} from './input.ts'

const given = (...names: string[]): ImportInput =>
  withFiles(
    emptyInput,
    names.map((name) => ({ name, text: `# ${name}` })),
  )

describe('what was left open', () => {
  test.each([
    ['nginx', ['conf.d/a.conf', 'nginx.conf'], ['nginx.conf']],
    ['apache', ['httpd.conf', 'old/apache2.conf'], ['httpd.conf']],
    ['lighttpd', ['backup/lighttpd.conf', 'lighttpd.conf'], ['lighttpd.conf']],
    ['nginx', ['shop', 'wiki'], ['shop', 'wiki']],
  ])('%s is told by the names %j, and what it begins with', (language, names, main) => {
    const now = settled(given(...names), known)
    expect([now.language.language, now.main]).toEqual([language, main])
  })

  test('is as chosen once it was', () => {
    const input = { ...given('nginx.conf', 'a'), language: 'apache' as const, main: ['a'] }
    const now = settled(input, known)
    expect([now.language.language, now.folder, now.main]).toEqual(['apache', '/etc/apache2', ['a']])
  })

  test('is nothing where more files are than may be begun with', () => {
    const input = given(...Array.from({ length: 65 }, (_, i) => `site${i}`))
    expect(settled(input, known).main).toEqual([])
    expect(whyNotImport(input, known)).toMatch(/^Tick the file/)
  })
})

describe('names, wherever the folder was taken hold of', () => {
  test.each([
    ['the folder itself', 'nginx/nginx.conf nginx/conf.d/a', 'nginx.conf conf.d/a'],
    ['a folder above', 'etc/nginx/nginx.conf etc/ssl/a.conf', 'nginx.conf ../ssl/a.conf'],
    ['a copy of another name', 'copy/nginx.conf copy/mime.types', 'nginx.conf mime.types'],
    ['a part, by the folder’s name', 'nginx/conf.d/a nginx/b', 'conf.d/a b'],
    [
      'a folder within',
      'sites-available/a sites-available/b',
      'sites-available/a sites-available/b',
    ],
    ['files', 'nginx.conf a.conf', 'nginx.conf a.conf'],
  ])('%s', (_, names, placed) => {
    expect(placedNames(names.split(' '), known)).toEqual(placed.split(' '))
  })

  test('are paths on the old server', () => {
    expect(pathOf('/etc/nginx/', 'conf.d/a.conf')).toBe('/etc/nginx/conf.d/a.conf')
    expect(pathOf('/etc/nginx', '../ssl/a.conf')).toBe('/etc/ssl/a.conf')
    expect(pathOf('/etc/nginx', '/var/www/.htaccess')).toBe('/var/www/.htaccess')
  })
})

test('the body has whole paths', () => {
  expect(bodyFor({ ...given('nginx.conf', 'a'), folder: '/opt/nginx' }, known)).toEqual({
    language: 'nginx',
    main: ['/opt/nginx/nginx.conf'],
    files: [
      { path: '/opt/nginx/a', text: '# a' },
      { path: '/opt/nginx/nginx.conf', text: '# nginx.conf' },
    ],
  })
})

test('a file of a name that was there takes its place; one that goes is begun with no more', () => {
  const twice = withFiles(given('a', 'b'), [{ name: 'a', text: 'anew' }])
  expect(twice.files.map(({ text }) => text)).toEqual(['anew', '# b'])
  const leftOut = withFiles(twice, [], [{ name: 'b', why: 'passwords' }])
  expect([leftOut.files.length, leftOut.leftOut.length]).toEqual([1, 1])
  expect(withoutFile({ ...twice, main: ['a', 'b'] }, 'a')).toMatchObject({
    ...{ files: [{ name: 'b' }], main: ['b'] },
  })
})

describe('the bounds are said before anything is sent', () => {
  const small = { ...known, mostFiles: 2, mostCharacters: 20 }
  test.each([
    ['no file', emptyInput, /^Choose its files/],
    ['a folder that is no whole path', { ...given('a'), folder: 'nginx' }, /begins with “\/”/],
    ['too many files', given('a', 'b', 'c'), /^Remove 1 file: 2 can/],
    ['too much text', given('a', 'quite-long-a-name'), /^Remove files with 2 characters: 20 can/],
    ['nothing to begin with', { ...given('a'), main: [] }, /^Tick the file/],
  ])('%s', (_, input, why) => {
    expect(whyNotImport(input, small)).toMatch(why)
  })
  test('within them, nothing stands in the way', () => {
    expect(whyNotImport(given('a', 'b'), small)).toBeNull()
  })
})

test('folders whose links did not come are named, and their files may take the links’ place', () => {
  const came = (...names: string[]) => unlinkedFolders(given(...names).files)
  expect(came('nginx.conf', 'sites-available/a')).toEqual(['sites-available'])
  expect(came('sites-available/a', 'sites-enabled/a')).toEqual([])
  expect(came('nginx.conf')).toEqual([])
  const input = { ...given('b', 'sites-available/a'), main: ['sites-available/a'] }
  const enabled = allEnabled(input, 'sites-available')
  expect(enabled).toMatchObject({
    files: [{ name: 'b' }, { name: 'sites-enabled/a', text: '# sites-available/a' }],
    main: ['sites-enabled/a'],
  })
  expect(unlinkedFolders(enabled.files)).toEqual([])
})
