// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MantineProvider } from '@mantine/core'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef, useState } from 'react'
import { describe, expect, test } from 'vitest'
import { useDraftDocument } from '../editor/use-draft-document.ts'
import type { Problem } from '../problems.ts'
import { type SchemaNode, schemaAt } from '../schema-walk.ts'
import type { SchemaTrouble } from '../use-problems.ts'
import { ConfigForm, type ConfigFormHandle } from './config-form.tsx'
import { optionsOf } from './find.ts'
import { choicesOf, itemName, sectionHelp, summaryOf } from './form-words.ts'

const nodeDir = join(import.meta.dirname, '../../../../../server-c')
const schema = JSON.parse(readFileSync(join(nodeDir, 'config.schema.json'), 'utf8')) as SchemaNode
const everything = readFileSync(join(nodeDir, 'config-corpus/good/all-options.jsonc'), 'utf8')

const small = `{
  // One site.
  "sites": [
    {
      "hosts": ["*"],
      "root": "/srv",
      "redirects": [
        // moved in May
        { "match": "^/a", "to": "/b" }, // short
        { "match": "^/c", "to": "/d" }
      ]
    }
  ]
}
`
const problem = (pointer: string, message: string): Problem => ({
  pointer,
  message,
  hint: '',
  code: 'invalid_value',
  from: 0,
  to: 1,
  line: 1,
  column: 1,
})

type Setting = {
  text?: string
  problems?: Problem[]
  readOnly?: boolean
  show?: string
  trouble?: SchemaTrouble | null
}

/** The form over a text, as the screen holds it. Answers with the text of the moment. */
function openForm(setting: Setting = {}) {
  const { text = small, problems = [], readOnly = false, show = '', trouble = null } = setting
  const seen = { text, inText: null as string | null }
  function Holder() {
    const [now, setNow] = useState(text)
    const { change, past } = useDraftDocument({ text: now, isTheirs: false }, (next) => {
      seen.text = next
      setNow(next)
    })
    const form = useRef<ConfigFormHandle>(null)
    return (
      <>
        <ConfigForm
          ref={form}
          text={now}
          label="Form"
          readOnly={readOnly}
          schema={trouble === null ? schema : null}
          schemaTrouble={trouble}
          problems={problems}
          past={past}
          onChange={change}
          onShowInText={(pointer) => {
            seen.inText = pointer
          }}
        />
        <button type="button" onClick={() => void form.current?.show(show)}>
          show it
        </button>
      </>
    )
  }
  render(
    <MantineProvider env="test">
      <Holder />
    </MantineProvider>,
  )
  return seen
}

const button = (name: RegExp | string) => screen.getByRole('button', { name })
const inside = (name: RegExp) => within(screen.getByRole('group', { name }))
/** What the only site has as by default, and what the node has. */
const unfoldSite = () =>
  userEvent.click(inside(/^any host/).getByRole('button', { name: /^\d+ more options/ }))
const unfoldNode = async () => {
  const folds = screen.getAllByRole('button', { name: /^\d+ more options, as by default$/ })
  await userEvent.click(folds.at(-1) as Element)
}

describe('a list of rules', () => {
  test('says closed how many there are, and open what each does', async () => {
    openForm()
    await userEvent.click(button(/^Redirects 2 redirects/))
    expect(button(/^Redirect 1 \^\/a · \/b/)).toHaveAttribute('aria-expanded', 'false')
  })

  test('gets one more, with the focus in its first field', async () => {
    const seen = openForm()
    await userEvent.click(button(/^Redirects/))
    await userEvent.click(button('Add redirect'))
    const rule = inside(/^Redirect 3/)
    expect(rule.getByRole('textbox', { name: /Match/ })).toHaveFocus()
    await userEvent.keyboard('^/e')
    await userEvent.type(rule.getByRole('textbox', { name: /^To/ }), '/f')
    expect(seen.text).toBe(
      small.replace('"/d" }', '"/d" },\n        { "match": "^/e", "to": "/f" }'),
    )
  })

  test('is put in order with the keyboard: comments and the focus go with the rule', async () => {
    const seen = openForm()
    await userEvent.click(button(/^Redirects/))
    await userEvent.click(button(/^Redirect 2/))
    button('Move Redirect 2 up').focus()
    await userEvent.keyboard('{Enter}')
    expect(seen.text).toContain(`
        { "match": "^/c", "to": "/d" },
        // moved in May
        { "match": "^/a", "to": "/b" } // short
      ]`)
    expect(button('Move Redirect 1 down')).toHaveFocus()
    expect(button(/^Redirect 1 \^\/c/)).toHaveAttribute('aria-expanded', 'true')
    expect(screen.getByRole('status')).toHaveTextContent('It is number 1 of 2 now.')
    await userEvent.click(button('Undo'))
    expect(seen.text).toBe(small)
  })

  test('loses one, and it can be had back', async () => {
    const seen = openForm()
    await userEvent.click(button(/^Redirects/))
    await userEvent.click(button('Remove Redirect 1'))
    expect(seen.text).not.toContain('moved in May')
    expect(button(/^Redirect 1 \^\/c/)).toHaveFocus()
    await userEvent.click(button('Undo'))
    expect(seen.text).toBe(small)
  })
})

describe('a field', () => {
  test('of a number takes one, shows its unit, and goes back to its default when emptied', async () => {
    const seen = openForm({ text: '{\n  "sites": []\n}\n' })
    await unfoldNode()
    await userEvent.click(button(/^File cache as by default/))
    const field = screen.getByRole('textbox', { name: /Memory for files, in bytes/ })
    expect(field).toHaveAttribute('placeholder', '268435456')
    await userEvent.type(field, '1048576')
    expect(seen.text).toContain('"fileCache": { "maxBytes": 1048576 }')
    expect(screen.getByText('1 MiB')).toBeVisible()
    await userEvent.clear(field)
    await userEvent.tab()
    expect(seen.text).toContain('"fileCache": {}')
  })

  test('may be a word where a number may stand, and the node judges anything else', async () => {
    const seen = openForm()
    await unfoldNode()
    const field = screen.getByRole('textbox', { name: /Event loops/ })
    await userEvent.type(field, '4')
    expect(seen.text).toContain('"workers": 4')
    await userEvent.clear(field)
    await userEvent.type(field, 'auto')
    expect(seen.text).toContain('"workers": "auto"')
  })

  test('of a list has one item a line', async () => {
    const seen = openForm()
    const field = screen.getByRole('textbox', { name: /Host names/ })
    await userEvent.clear(field)
    await userEvent.type(field, 'a.example{Enter} {Enter}b.example')
    expect(seen.text).toContain('"hosts": ["a.example", "b.example"]')
    expect(field).toHaveValue('a.example\n \nb.example')
  })

  test('of a list gets a line between two, and what is said of these stays theirs', async () => {
    const hosts = '"hosts": [\n        "a", // old\n        // since May\n        "c"\n      ]'
    const seen = openForm({ text: small.replace('"hosts": ["*"]', hosts) })
    const field = screen.getByRole('textbox', { name: /Host names/ })
    const caret = { initialSelectionStart: 1, initialSelectionEnd: 1 }
    await userEvent.type(field, '{Enter}b.x', caret)
    expect(seen.text).toContain(
      '"a", // old\n        "b.x",\n        // since May\n        "c"\n      ]',
    )
    expect(field).toHaveValue('a\nb.x\nc')
  })

  test('of a choice names its default', async () => {
    const seen = openForm()
    await unfoldSite()
    const field = screen.getByRole('combobox', { name: /Symbolic links/ })
    expect(within(field).getByRole('option', { name: 'within-root (default)' })).toBeVisible()
    await userEvent.selectOptions(field, 'never')
    expect(seen.text).toContain('"symlinks": "never"')
    await userEvent.selectOptions(field, 'within-root (default)')
    expect(seen.text).toBe(small)
  })

  test('of a redirect’s status is a choice in words; one that is none is mended as a number', async () => {
    const seen = openForm({ text: small.replace('"/d"', '"/d", "status": 304') })
    await userEvent.click(button(/^Redirects/))
    await userEvent.click(button(/^Redirect 1/))
    const status = inside(/^Redirect 1/).getByRole('combobox', { name: 'Status' })
    expect(within(status).getByRole('option', { selected: true })).toHaveTextContent(
      '301 permanent (default)',
    )
    expect(status).toHaveAccessibleDescription(/Default 301\./)
    await userEvent.selectOptions(status, '308 permanent, method kept')
    expect(seen.text).toContain('{ "match": "^/a", "to": "/b", "status": 308 }')
    await userEvent.click(button(/^Redirect 2/))
    expect(inside(/^Redirect 2/).getByRole('textbox', { name: 'Status' })).toHaveValue('304')
  })

  test('of a redirect’s status knows the numbers that the node takes', () => {
    const path = ['sites', 0, 'redirects', 0, 'status']
    const status = schemaAt(schema, path) as SchemaNode
    const said = status.description?.match(/\b30\d\b/g)?.map(Number)
    const values = choicesOf(schema, status, path)?.map(({ value }) => value)
    expect(values).toEqual([...new Set(said)].toSorted())
  })

  test('of names that the author chooses refuses a name twice', async () => {
    const seen = openForm({ text: everything })
    await userEvent.click(button(/^MIME types 4 suffixes/))
    const name = screen.getByRole('textbox', { name: 'Suffix of .wasm' })
    await userEvent.clear(name)
    await userEvent.type(name, '.html{Enter}')
    expect(screen.getByText('There is one for .html already.')).toBeVisible()
    await userEvent.clear(name)
    await userEvent.type(name, '.wat{Enter}')
    expect(seen.text).toContain('{ ".wat": "application/wasm", ".html"')
  })
})

describe('what the node finds', () => {
  const found = [problem('/sites/0/redirects/1/match', '"match" at byte 4: missing parenthesis')]

  test('is counted on what is closed, and led to from outside', async () => {
    openForm({ problems: found, show: '/sites/0/redirects/1/match' })
    expect(button(/^Redirects 2 redirects 1 problem/)).toBeVisible()
    await userEvent.click(button('show it'))
    const field = inside(/^Redirect 2/).getByRole('textbox', { name: /Match/ })
    expect(field).toHaveFocus()
    expect(field).toBeInvalid()
    expect(field).toHaveAccessibleDescription(/at byte 4: missing parenthesis/)
  })

  test('of an item of a list names its line', () => {
    openForm({ problems: [problem('/sites/0/hosts/0', 'no such name')] })
    expect(screen.getByRole('textbox', { name: /Host names/ })).toHaveAccessibleDescription(
      /Line 1: no such name/,
    )
  })

  test('of an option that does not exist stays in sight and can be removed', async () => {
    const text = small.replace('"root"', '"rot": 1,\n      "root"')
    const seen = openForm({ text, problems: [problem('/sites/0/rot', 'there is no option "rot"')] })
    expect(screen.getByText('there is no option "rot"')).toBeVisible()
    await userEvent.click(button('Remove rot'))
    expect(seen.text).toBe(small)
  })
})

test.each([
  ['{', 'The text is not JSON yet.'],
  ['[]', 'The text is not an object { } yet.'],
  ['{ "workers": 1, "workers": 2 }', 'The text gives "workers" twice.'],
])('%s is left to the text', async (text, why) => {
  const seen = openForm({ text })
  expect(screen.getByText(why)).toBeVisible()
  await userEvent.click(button('Show the text'))
  expect(seen.inText).toBe('')
})

test('an empty text is begun here, and the form says what it needs', async () => {
  const seen = openForm({ text: ' \n', problems: [problem('/sites', '"sites" needs an item')] })
  await userEvent.click(button('Begin a config'))
  expect(seen.text).toBe('{\n  "sites": []\n}\n')
  expect(screen.getByText('"sites" needs an item')).toBeVisible()
  await userEvent.click(button('Add site'))
  expect(inside(/^Site 1/).getByRole('textbox', { name: /Host names/ })).toHaveFocus()
})

test('a schema that cannot be had is said, and asked for again', async () => {
  let asked = 0
  openForm({ trouble: { error: new Error('no answer'), onRetry: () => (asked += 1) } })
  expect(screen.getByRole('alert')).toHaveTextContent('The node’s schema')
  await userEvent.click(button('Try again'))
  expect(asked).toBe(1)
})

test('a value of another kind is not overwritten but shown in the text', async () => {
  const seen = openForm({ text: '{ "workers": [1], "limits": 3, "sites": [] }' })
  await userEvent.click(screen.getAllByRole('button', { name: 'Show in the text' })[0] as Element)
  expect(seen.inText).toBe('/workers')
})

test('who may only read changes nothing', async () => {
  openForm({ readOnly: true })
  expect(screen.getByRole('textbox', { name: /Root folder/ })).toHaveAttribute('readonly')
  await userEvent.click(button(/^Redirects/))
  expect(screen.queryByRole('button', { name: /^(Add|Remove|Move|Undo)/ })).toBeNull()
})

describe('the order', () => {
  const precedes = (first: HTMLElement, second: HTMLElement) =>
    (first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0

  test('has the sites first, each a card that its hosts and root head', () => {
    const hosts = '"hosts": ["a.example", "www.a.example", "b.example"]'
    openForm({ text: small.replace('"hosts": ["*"]', hosts) })
    const card = button('a.example, www.a.example and 1 more /srv')
    expect(card).toHaveAttribute('aria-expanded', 'true')
    expect(precedes(screen.getByRole('heading', { name: 'Sites' }), card)).toBe(true)
    expect(precedes(card, screen.getByRole('heading', { name: 'Node' }))).toBe(true)
  })

  test('has several sites closed, and names a site in what its buttons do', () => {
    const second = '"b.example"], "root": "/b" }, { "hosts": ["*"'
    openForm({ text: small.replace('"*"', second) })
    expect(button('b.example /b')).toHaveAttribute('aria-expanded', 'false')
    expect(button('any host (*) /srv')).toHaveAttribute('aria-expanded', 'false')
    expect(button('Move any host (*) up')).toBeVisible()
  })

  test('has what the text sets in front, and folds what is as by default', async () => {
    openForm({ text: small.replace('"sites"', '"fileCache": { "maxOpenFiles": 9 },\n  "sites"') })
    expect(button(/^Redirects 2 redirects/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /^Rewrites/ })).toBeNull()
    await userEvent.click(button(/^File cache 1 of 3 set/))
    const cache = inside(/^File cache/)
    expect(cache.getAllByRole('textbox')).toHaveLength(3)
    expect(screen.queryByRole('textbox', { name: /Event loops/ })).toBeNull()
    await unfoldNode()
    expect(screen.getByRole('textbox', { name: /Event loops/ })).toBeVisible()
  })

  test('shows all of a part that has nothing yet', async () => {
    openForm()
    await unfoldNode()
    await userEvent.click(button(/^Limits as by default/))
    const limits = inside(/^Limits/)
    expect(limits.getAllByRole('textbox')).toHaveLength(11)
    expect(limits.queryByRole('button', { name: /more option/ })).toBeNull()
  })

  test('leaves a field where one types in it, and brings it to the front afterwards', async () => {
    const seen = openForm()
    const folds = () => screen.getAllByRole('button', { name: /more options, as by default$/ })
    const count = () => Number.parseInt(folds().at(-1)?.textContent ?? '', 10)
    const folded = count()
    await unfoldNode()
    const field = screen.getByRole('textbox', { name: /Event loops/ })
    await userEvent.type(field, '12')
    expect(seen.text).toContain('"workers": 12')
    expect(field).toHaveFocus()
    expect(precedes(folds().at(-1) as HTMLElement, field)).toBe(true)
    await userEvent.click(folds().at(-1) as Element)
    const inFront = screen.getByRole('textbox', { name: /Event loops/ })
    expect(precedes(inFront, folds().at(-1) as HTMLElement)).toBe(true)
    expect(count()).toBe(folded - 1)
    await userEvent.clear(inFront)
    expect(inFront).toHaveFocus()
  })

  test('has something wrong in front, set or not', () => {
    openForm({ problems: [problem('/workers', 'there is one processor')] })
    expect(screen.getByRole('textbox', { name: /Event loops/ })).toBeInvalid()
  })

  test('shows a rule that is added with all that it can say', async () => {
    openForm()
    await unfoldSite()
    await userEvent.click(button(/^Response headers none/))
    await userEvent.click(button('Add header rule'))
    expect(inside(/^Header rule 1/).getByRole('textbox', { name: 'Value' })).toBeVisible()
  })
})

describe('help', () => {
  test('is a sentence, and all of it on demand', async () => {
    openForm()
    const field = screen.getByRole('textbox', { name: /Root folder/ })
    expect(field).toHaveAccessibleDescription(/^Absolute path of the folder that is served\. More/)
    await userEvent.click(button('More about Root folder'))
    expect(field).toHaveAccessibleDescription(/It must be on every node/)
    expect(button('Less about Root folder')).toHaveAttribute('aria-expanded', 'true')
  })

  test('says nothing of lighttpd unless it is asked for more', () => {
    const said = optionsOf(schema, {}).map(({ help }) => sectionHelp({ description: help }))
    expect(said.filter(({ short }) => /lighttpd/i.test(short))).toEqual([])
    expect(said.filter(({ long }) => /lighttpd/i.test(long)).length).toBeGreaterThan(0)
    expect(said.filter(({ short }) => short === '')).toEqual([])
  })
})

describe('the search', () => {
  const field = () => screen.getByRole('combobox', { name: 'Find an option' })
  const list = () => screen.queryByRole('listbox', { name: 'Options found' })
  const options = () => within(list() as HTMLElement).getAllByRole('option')
  const found = () => options().map((option) => option.textContent)

  test('opens what an option is in, and puts the focus there, by keyboard alone', async () => {
    openForm()
    await userEvent.tab()
    expect(field()).toHaveFocus()
    await userEvent.keyboard('slowest client')
    expect(found()).toEqual([expect.stringMatching(/^Slowest client Limits /)])
    await userEvent.keyboard('{Enter}')
    expect(screen.getByRole('textbox', { name: /^Slowest client/ })).toHaveFocus()
    expect(field()).toHaveValue('')
    expect(list()).toBeNull()
  })

  test('leaves a part open that it leads to', async () => {
    openForm()
    await userEvent.type(field(), 'response headers{Enter}')
    expect(button(/^Response headers none/)).toHaveFocus()
    expect(button(/^Response headers none/)).toHaveAttribute('aria-expanded', 'true')
  })

  test('takes another than the first with the arrows, and says how many there are', async () => {
    openForm()
    await userEvent.type(field(), 'symlinks')
    expect(screen.getByRole('status')).toHaveTextContent('1 option found.')
    await userEvent.clear(field())
    await userEvent.type(field(), 'redirects')
    expect(found()[0]).toMatch(/^Redirects any host \(\*\) set/)
    await userEvent.keyboard('{ArrowDown}{ArrowDown}')
    expect(field()).toHaveAttribute('aria-activedescendant', options()[1]?.id)
    await userEvent.keyboard('{Enter}')
    expect(document.activeElement).toHaveAttribute(
      'data-field',
      expect.stringContaining('redirect'),
    )
  })

  test('leads with the mouse to an option of a site that the text has not', async () => {
    openForm()
    await userEvent.type(field(), 'symlinks')
    await userEvent.click(options()[0] as HTMLElement)
    expect(screen.getByRole('combobox', { name: /Symbolic links/ })).toHaveFocus()
  })

  test('says so when there is none, and closes without losing the words', async () => {
    openForm()
    await userEvent.type(field(), 'zebra')
    expect(screen.getByText('No option has these words.')).toBeVisible()
    await userEvent.keyboard('{Enter}{Escape}')
    expect(screen.queryByText('No option has these words.')).not.toBeVisible()
    expect(field()).toHaveValue('zebra')
  })

  test('keeps its own undo, which is none of the text', async () => {
    const seen = openForm()
    await userEvent.type(screen.getByRole('textbox', { name: /Root folder/ }), '2')
    await userEvent.type(field(), 'x')
    await userEvent.keyboard('{Control>}z{/Control}')
    expect(seen.text).toContain('"/srv2"')
  })

  test('is there for who may only read', async () => {
    openForm({ readOnly: true })
    await userEvent.type(field(), 'event loops{Enter}')
    expect(screen.getByRole('textbox', { name: /Event loops/ })).toHaveFocus()
  })
})

/** Lists of rules and maps, which get a section each. */
function sectionsIn(node: SchemaNode): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, option]) => {
    const { items = {}, additionalProperties } = option
    const isSection = items.properties !== undefined || typeof additionalProperties === 'object'
    return [...(isSection ? [name] : []), ...sectionsIn(option), ...sectionsIn(items)]
  })
}

test('what each list of the schema holds has a name', () => {
  const names = sectionsIn(schema)
  expect(names).toEqual(expect.arrayContaining(['sites', 'headers', 'mimeTypes']))
  expect(names.filter((name) => itemName(name) === 'entry')).toEqual([])
  // "2 rules for links", not "2 rule for linkss".
  const many = names.map((name) => summaryOf(name, { type: 'array' }, ['a', 'b']))
  expect(many.filter((words) => /[sx]s$/.test(words))).toEqual([])
})
