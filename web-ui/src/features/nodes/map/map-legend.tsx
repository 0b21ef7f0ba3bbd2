// SPDX-License-Identifier: MIT

import { CellsLegend } from '../../../components/cells/cells-legend.tsx'
import type { CellLook } from '../../../components/cells/cells-picture.tsx'
import { levelsOf } from '../../../components/cells/levels.ts'
import { t } from '../../../languages/t.ts'
import type { Format } from '../../../lib/format.ts'
import { syncStates, syncVerdict } from '../rules.ts'
import { FRAME_ALONE } from './map-rules.ts'

type Props = {
  kinds: readonly string[]
  lookOf: (kind: string) => CellLook
  /** Of the levels of a measurement; null: it is about states, or nothing was measured. */
  bounds: readonly number[] | null
  format: Format
  isMeasured: boolean
  /** How many cells are framed. */
  touched: number
}

const TOUCHED = 'touched'

/** What each shape and colour stands for, and how many nodes have it. */
export const MapLegend = ({ kinds, lookOf, bounds, format, isMeasured, touched }: Props) => (
  <CellsLegend
    kinds={[...kinds, ...Array<string>(touched).fill(TOUCHED)]}
    lookOf={(kind) => (kind === TOUCHED ? FRAME_ALONE : lookOf(kind))}
    entries={[
      ...(isMeasured
        ? levelsOf(bounds, format)
        : syncStates.map((state) => ({ kind: state, label: syncVerdict[state].label }))),
      { kind: TOUCHED, label: t('a rollout under way has come to it') },
    ]}
  />
)
