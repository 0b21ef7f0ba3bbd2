// SPDX-License-Identifier: MIT

import { Button, Checkbox, Popover } from '@mantine/core'
import { t } from '../../languages/t.ts'
import classes from './farm-screen.module.css'
import { type FarmSearch, hiddenColumns, withColumn } from './farm-search.ts'
import { columnChoices } from './nodes-table.tsx'

type Props = { search: FarmSearch; onSearch: (search: FarmSearch) => void }

/** What is left out stands in the address, and so in a saved view. */
export function ColumnsMenu({ search, onSearch }: Props) {
  const hidden = hiddenColumns(search)
  return (
    <Popover position="bottom-start" trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button variant="default" size="xs">
          {t('Columns')}
          {hidden.length > 0 && t(' ({hidden} hidden)', { hidden: hidden.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.columns ?? ''}>
        {columnChoices.map(({ key, title }) => (
          <Checkbox
            key={key}
            size="xs"
            label={title}
            checked={!hidden.includes(key)}
            onChange={() => onSearch(withColumn(search, key))}
          />
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}
