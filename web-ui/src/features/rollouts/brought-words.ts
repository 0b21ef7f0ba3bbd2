// SPDX-License-Identifier: MIT
// What a rollout brings to its nodes and what it would give back, in few words: a version of the config, versions of releases
// of files, or both. Where only files change, the config's version says nothing, and is left out.
import { t } from '../../languages/t.ts'
import type { Rollout } from '../../lib/api-types.ts'

type Of = Pick<Rollout, 'version' | 'previousVersion' | 'releases'>

/** More of them than this are counted. */
const NAMED = 3

/** "v3", "www v41", "v3 with www v41". */
export const brings = ({ version, previousVersion, releases }: Of): string =>
  together(
    version === previousVersion ? null : version,
    changed(releases).map(({ name, number }) => `${name} v${number}`),
    `v${version}`,
  )

/** To what its nodes go back. A release that was not there before has nothing to go back to. */
export function backTo({ version, previousVersion, releases }: Of): string {
  const before = changed(releases).flatMap(({ name, before: had }) =>
    had === null ? [] : [`${name} v${had.number}`],
  )
  if (previousVersion === null) return t('what they had')
  const isSame = version === previousVersion
  const nothing =
    isSame && changed(releases).length > 0 ? t('what they had') : `v${previousVersion}`
  return together(isSame ? null : previousVersion, before, nothing)
}

const changed = (releases: Of['releases']) =>
  releases.filter(({ number, before }) => before?.number !== number)

function together(version: number | null, releases: readonly string[], nothing: string): string {
  const named = releases.slice(0, NAMED).join(', ')
  const left = releases.length - NAMED
  const files =
    left > 0
      ? t('{named} and {left, plural, one {# more release} other {# more releases}}', {
          named,
          left,
        })
      : named
  if (files === '') return nothing
  return version === null ? files : t('v{version} with {files}', { version, files })
}
