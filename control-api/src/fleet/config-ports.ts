// SPDX-License-Identifier: MIT
// What features ask of configs and groups without knowing each other. app.ts wires them.
import type { Kysely } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { ConfigError } from '../api-shapes/common.ts'
import type { Effect } from '../api-shapes/effect.ts'
import type { Impact } from '../api-shapes/impact.ts'
import type { Database } from '../db/database.ts'
import type { Grouping, Recipient, RenderTarget } from '../labels/grouping.ts'

export type VersionRef = { config: string; number: number }

export type Preview = {
  text: string
  /** null: nobody can read it, or a variable has no value; `errors` says which. */
  digest: string | null
  errors: ConfigError[]
  variables: ReadonlyMap<string, string>
}

/** The config store, looking ahead: texts as nodes would get them. Stores nothing. */
export type Previews = {
  released(to: Recipient): Promise<VersionRef | null>
  /** The author's; null: there is no such version. */
  textOf(version: VersionRef): Promise<string | null>
  /** Of a version there is. */
  render(version: VersionRef, target: RenderTarget): Promise<Preview>
  /** Why nobody can read this text; empty: it parses. */
  syntaxErrors(text: string): ConfigError[]
  /** Of a text that is no version yet, and parses. */
  renderText(text: string, target: RenderTarget): Preview
  /** Where two texts differ; the whole document when one of them is not there. */
  pointers(before: Preview | null, after: Preview | null): string[]
  /** Of texts that were rendered here, by pointer; null: there is no such place. */
  placesIn(preview: Preview): (pointer: string) => AuthorPlace | null
  /** What farmstead-node would refuse, in the author's places; null: it was not asked, not after `most` texts. */
  check(preview: Preview, most: number): Promise<ConfigError[] | null>
  /** What the owners of machines with these rules would not allow, in the author's places; null: not known. */
  askOwners(all: readonly OwnedPreview[]): Promise<(one: OwnedPreview) => ConfigError[] | null>
}

/** Where a rendered text has what, for people who know the author's: its line there, or whose override or label it is. */
export type AuthorPlace = { line: number; column: number; from: string | null }

/** `isOlder`: it is older than that, which is as far as was looked. */
export type VersionSince = { number: number; author: string; at: string; isOlder: boolean }
/** The config store: since which version its texts say what they say there, by pointer. */
export type SinceOf = (
  version: VersionRef,
  pointers: readonly string[],
) => Promise<ReadonlyMap<string, VersionSince>>

/** The groups: what a config's text would do to the nodes within the scope. */
export type TextEffect = (asked: { config: string; text: string; scope: Scope }) => Promise<Effect>

/** As a node would get it whose machine's owner has these rules. */
export type OwnedPreview = { preview: Preview; rulesId: string }

export type OpenPreviews = () => Previews

/** By the nodes' ids. */
export type NodeChanges = ReadonlyMap<
  string,
  { name?: string; labels?: string; merge_patch?: string }
>
/** The groups: what it would do to the farm if these nodes became others. */
export type NodesImpact = (changes: NodeChanges) => Promise<Impact>

/** The groups as they are now; in a transaction, as that sees them. */
export type ReadGrouping = (db: Kysely<Database>) => Promise<Grouping>

/** A local change of a node that an operator wants to keep. */
export type Adoption = {
  config: string
  /** The version the node was given, and what differs on it: that is not of the version. */
  version: number
  target: RenderTarget
  text: string
  author: string
  message: string
}

/** Saves it as the config's newest version; its number. Throws what is wrong with the text. */
export type Adopt = (adoption: Adoption) => Promise<number>
