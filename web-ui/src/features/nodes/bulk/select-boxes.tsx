// SPDX-License-Identifier: MIT

import { Checkbox } from '@mantine/core'
import { t } from '../../../languages/t.ts'
import type { Node } from '../../../lib/api-types.ts'
import {
  allMatching,
  countOf,
  isSelected,
  isWhole,
  noSelection,
  type Selection,
  toggled,
} from './selection.ts'

export type Selecting = { selection: Selection; onSelect: (selection: Selection) => void }

export function SelectBox({ selection, onSelect, node }: Selecting & { node: Node }) {
  return (
    <Checkbox
      size="xs"
      aria-label={t('Select {name}', { name: node.name })}
      checked={isSelected(selection, node.id)}
      onChange={() => onSelect(toggled(selection, node.id))}
    />
  )
}

/** All that the filter leaves, also those that were not read yet. */
export function SelectAllBox({ selection, onSelect, ids }: Selecting & { ids: readonly string[] }) {
  const isAll = isWhole(selection, ids)
  return (
    <Checkbox
      size="xs"
      aria-label={t('Select all that are listed: {ids, plural, one {# node} other {# nodes}}', {
        ids: ids.length,
      })}
      checked={isAll}
      indeterminate={countOf(selection, ids.length) > 0 && !isAll}
      onChange={() => onSelect(isAll ? noSelection : allMatching)}
    />
  )
}
