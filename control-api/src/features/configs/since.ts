// SPDX-License-Identifier: MIT
// Since which version a config says what it says at some places: the versions before are read until none of them has it any
// more. A rule that moved within its list, or whose site moved, is the same rule.
import { inTurns } from '../../base/slices.ts'
import type { SinceOf, VersionSince } from '../../fleet/config-ports.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/values.ts'
import type { VersionRow } from './store.ts'
import { keysOf, parseConfigText } from './text/text.ts'

/** Back from the version asked about. */
const MOST_VERSIONS = 50
const MOST_CHARACTERS = 16 * 1024 * 1024

type FindVersion = (config: string, number: number) => Promise<VersionRow | undefined>

export function createSinceOf(find: FindVersion): SinceOf {
  return async ({ config, number }, pointers) => {
    const found = new Map<string, VersionSince>()
    const giveWay = inTurns()
    const newest = await find(config, number)
    const value = newest && readValue(newest)
    if (!newest || value === undefined) return found
    let open = [...new Set(pointers)].flatMap((pointer) => saying(value, pointer))
    let characters = 0
    for (let at = number, row: VersionRow | undefined = newest; row && open.length > 0; ) {
      const seen = row
      for (const { pointer } of open) found.set(pointer, sinceOf(seen))
      characters += seen.text.length
      at -= 1
      await giveWay()
      row = await find(config, at)
      const older = row && readValue(row)
      if (row === undefined || older === undefined) break
      open = open.filter((said) => says(older, said))
      if (number - at >= MOST_VERSIONS || characters > MOST_CHARACTERS) {
        for (const { pointer } of open) found.set(pointer, { ...sinceOf(row), isOlder: true })
        break
      }
    }
    return found
  }
}

const sinceOf = ({ number, author, created_at_ms }: VersionRow): VersionSince => ({
  ...{ number, author, at: new Date(created_at_ms).toISOString(), isOlder: false },
})

function readValue({ text }: VersionRow): JsonValue | undefined {
  const parsed = parseConfigText(text)
  return parsed.ok ? parsed.value : undefined
}

/** What a site says: an option of it, or a rule in one of its lists. */
type Said = { pointer: string; host: string; option: string; isRule: boolean; text: string }

/** Nothing: the author's text does not have it, as of an override. */
function saying(value: JsonValue, pointer: string): Said[] {
  const [sites, index, option, rule] = keysOf(pointer)
  if (sites !== 'sites' || index === undefined || option === undefined) return []
  const site = sitesIn(value)[Number(index)]
  const host = site && hostsOf(site)[0]
  const said = site?.[option]
  const at = rule !== undefined && Array.isArray(said) ? said[Number(rule)] : said
  if (at === undefined || host === undefined) return []
  return [{ pointer, host, option, isRule: rule !== undefined, text: JSON.stringify(at) }]
}

function says(value: JsonValue, { host, option, isRule, text }: Said): boolean {
  const site = sitesIn(value).find((one) => hostsOf(one).includes(host))
  const said = site?.[option]
  if (said === undefined) return false
  if (!isRule) return JSON.stringify(said) === text
  return Array.isArray(said) && said.some((rule) => JSON.stringify(rule) === text)
}

const sitesIn = (value: JsonValue): readonly JsonObject[] =>
  isObject(value) && Array.isArray(value.sites) ? value.sites.filter(isObject) : []

/** Of one site alone: that is what makes it the same in another version. */
const hostsOf = ({ hosts }: JsonObject): readonly string[] =>
  Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : []
