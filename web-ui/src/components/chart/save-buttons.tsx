// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { t } from '../../languages/t.ts'
import { type Cell, csvOf } from './csv.ts'
import { type Picture, saveAs, savePng } from './save.ts'

type Props = Picture & {
  /** What the file of numbers has. */
  rows: () => Cell[][]
  /** Where it is drawn; null: nothing is drawn now, only the numbers can be had. */
  drawing: (() => HTMLCanvasElement | null | undefined) | null
}

/** A drawing as files: its numbers, and what is seen of it. */
export function SaveButtons({ rows, drawing, ...picture }: Props) {
  const { label } = picture
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        aria-label={t('{label}: save the numbers as CSV', { label })}
        onClick={() => saveAs(label, 'csv', new Blob([csvOf(rows())], { type: 'text/csv' }))}
      >
        {t('CSV')}
      </Button>
      {drawing !== null && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          aria-label={t('{label}: save the picture as PNG', { label })}
          onClick={() => {
            const canvas = drawing()
            if (canvas) savePng(canvas, picture)
          }}
        >
          {t('PNG')}
        </Button>
      )}
    </>
  )
}
