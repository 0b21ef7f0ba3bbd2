// SPDX-License-Identifier: MIT
// What people often want of a site, as the rules it takes. Each puts its rules into the text and touches nothing else of it.
import { t } from '../../../languages/t.ts'
import { appendItem, insertItem } from '../form/form-edits.ts'
import type { Path } from '../schema-walk.ts'

type Site = Record<string, unknown>
export type Values = Readonly<Record<string, string>>

type Field = {
  name: string
  label: string
  description: string
  value: string
  /** What is wrong with what is typed; null: nothing. */
  refuse: (typed: string) => string | null
}

export type Recipe = {
  id: string
  title: string
  /** What a visitor notices of it. */
  sentence: string
  fields: readonly Field[]
  rules: (values: Values) => readonly Rule[]
}

type Rule = { list: string; value: Site }

const isPattern = (typed: string) =>
  typed.startsWith('/') || !typed.includes('/')
    ? null
    : t('Begin with "/", as in "/files/**", or name files, as in "*.zip".')
const isNamed = (typed: string) => (typed === '' ? t('Say what it is.') : null)

const pathsField = (description: string, value: string): Field => ({
  name: 'paths',
  label: t('Paths'),
  description,
  value,
  refuse: (typed) => isNamed(typed) ?? isPattern(typed),
})

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 365 * DAY_SECONDS
const MOST_DAYS = 3650

const isDays = (typed: string) =>
  /^\d{1,4}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= MOST_DAYS
    ? null
    : t('A whole number of days, 1 to {mostDays}.', { mostDays: MOST_DAYS })

export const recipes: readonly Recipe[] = [
  {
    id: 'single-page-app',
    title: t('Single-page app'),
    sentence: t(
      'Addresses without a file get the app’s page. That page is asked for anew each time; files with a hash in their name are kept for a year.',
    ),
    fields: [
      {
        name: 'page',
        label: t('Page of the app'),
        description: t('Below the site’s folder'),
        value: '/index.html',
        refuse: (typed) => (typed.startsWith('/') ? null : t('Begin with "/".')),
      },
      pathsField(t('Files whose names change with their content'), '/assets/**'),
    ],
    rules: ({ page = '', paths = '' }) => [
      { list: 'tryFiles', value: { candidates: ['{path}', page] } },
      {
        list: 'expires',
        value: { paths: [paths], maxAgeSeconds: YEAR_SECONDS, directives: 'public, immutable' },
      },
      { list: 'expires', value: { types: ['text/html'], maxAgeSeconds: 0 } },
    ],
  },
  {
    id: 'downloads',
    title: t('Downloads'),
    sentence: t('Browsers save these files instead of showing them, each under its own name.'),
    fields: [pathsField(t('Which files'), '/downloads/**')],
    rules: ({ paths = '' }) => [{ list: 'downloads', value: { paths: [paths] } }],
  },
  {
    id: 'images',
    title: t('Images'),
    sentence: t('Browsers and caches on the way keep pictures without asking again.'),
    fields: [
      {
        name: 'days',
        label: t('Days'),
        description: t('A picture that changes is seen after this time at the latest'),
        value: '30',
        refuse: isDays,
      },
    ],
    rules: ({ days = '' }) => [
      {
        list: 'expires',
        value: {
          types: ['image/*'],
          maxAgeSeconds: Number(days) * DAY_SECONDS,
        },
      },
    ],
  },
  {
    id: 'private-area',
    title: t('Private area'),
    sentence: t('Visitors sign in with a name and a password, and no cache keeps what they got.'),
    fields: [
      pathsField(t('What is private'), '/private/**'),
      {
        name: 'realm',
        label: t('Name of the area'),
        description: t('Browsers show it to who is asked for the password'),
        value: 'Private',
        refuse: (typed) =>
          /^[ !#-[\]-~]{1,128}$/.test(typed)
            ? null
            : t('Plain letters, without quotes or backslashes.'),
      },
      {
        name: 'file',
        label: t('Password file'),
        description: t(
          'Where it lies on each node, as htpasswd writes it, outside of the site’s folder',
        ),
        value: '/etc/farmstead/private.htpasswd',
        refuse: (typed) => (typed.startsWith('/') ? null : t('An absolute path: begin with "/".')),
      },
    ],
    rules: ({ paths = '', realm = '', file = '' }) => [
      { list: 'auth', value: { paths: [paths], realm, file } },
      {
        list: 'expires',
        value: { paths: [paths], maxAgeSeconds: 0, directives: 'private, no-store' },
      },
    ],
  },
]

export const valuesOf = ({ fields }: Recipe): Values =>
  Object.fromEntries(fields.map(({ name, value }) => [name, value]))

/** What is wrong with what is typed, by the fields' names. */
export function refusalsOf({ fields }: Recipe, values: Values): Record<string, string> {
  const refused = fields.flatMap(({ name, refuse }) => {
    const why = refuse(values[name]?.trim() ?? '')
    return why === null ? [] : [[name, why] as const]
  })
  return Object.fromEntries(refused)
}

/** `site`: as the text has it. Rules that the site has already are not put in twice. */
export function withRecipe(
  text: string,
  { index, site }: { index: number; site: Site },
  recipe: Recipe,
  values: Values,
): string {
  const trimmed = Object.fromEntries(Object.entries(values).map(([k, v]) => [k, v.trim()]))
  const added = new Map<string, unknown[]>()
  let now = text
  for (const { list, value } of recipe.rules(trimmed)) {
    const old = site[list]
    const rules = added.get(list) ?? (Array.isArray(old) ? [...old] : [])
    added.set(list, rules)
    if (rules.some((rule) => isSame(rule, value))) continue
    const at = placeFor(rules, value)
    const path: Path = ['sites', index, list]
    now = at === rules.length ? appendItem(now, path, value) : insertItem(now, path, at, value)
    rules.splice(at, 0, value)
  }
  return now
}

/** The first rule that fits counts: what is for some goes before what is for all, else last. */
function placeFor(rules: readonly unknown[], value: Site): number {
  const first = isForAll(value) ? -1 : rules.findIndex(isForAll)
  return first < 0 ? rules.length : first
}

const isForAll = (rule: unknown) =>
  typeof rule === 'object' && rule !== null && ['paths', 'types'].every((of) => isEmpty(rule, of))
const isEmpty = (rule: object, member: string) => {
  const value = (rule as Site)[member]
  return value === undefined || (Array.isArray(value) && value.length === 0)
}
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** A rule for all that stands there already: what is put in behind it would never count. */
export function shadowed(site: Site, recipe: Recipe, values: Values): string | null {
  const rule = recipe
    .rules(values)
    .find(
      ({ list, value }) =>
        isForAll(value) &&
        Array.isArray(site[list]) &&
        site[list].some((old) => isForAll(old) && !isSame(old, value)),
    )
  return rule === undefined
    ? null
    : t(
        'This site has a rule in "{list}" for all paths already, and the first that fits counts. Change that one.',
        { list: rule.list },
      )
}
