// SPDX-License-Identifier: MIT

import { SegmentedControl } from '@mantine/core'
import { t } from '../../languages/t.ts'
import { isScale, type Scale } from './scale.ts'

export type ScaleSwitchProps = { label: string; scale: Scale; onScale: (scale: Scale) => void }

export function ScaleSwitch({ label, scale, onScale }: ScaleSwitchProps) {
  return (
    <SegmentedControl
      aria-label={label}
      value={scale}
      onChange={(next) => isScale(next) && onScale(next)}
      data={[
        { value: 'linear', label: t('Linear') },
        { value: 'log', label: t('Log') },
      ]}
    />
  )
}
