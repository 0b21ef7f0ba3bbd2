// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import type { Evidence } from '../../lib/api-types.ts'
import classes from './strip.module.css'
import { type Strip as Places, stripOf } from './strip-rules.ts'

type Gate = Evidence['gates'][number]
const HEIGHT = 28
const WIDTH = 240
const MIDDLE = HEIGHT / 2
/** A bar of no width is still a mark. */
const NARROWEST = 3

/** A gate at a glance: the interval, what was measured, and the limit. The row's numbers say the same. */
export function Strip({ gate }: { gate: Gate }) {
  const places = stripOf(gate)
  if (places === null) return <span className="dim">{t('nothing to draw yet')}</span>
  return (
    <svg
      className={classes.strip}
      data-verdict={gate.verdict}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden="true"
    >
      <Drawn places={places} />
    </svg>
  )
}

function Drawn({ places }: { places: Places }) {
  const x = (share: number) => share * WIDTH
  const { same, limit, value, from, to } = places
  const bar = Math.max(NARROWEST, x(to) - x(from))
  return (
    <>
      <rect className={classes.beyond} x={x(limit)} y={2} width={WIDTH - x(limit)} height={24} />
      <path className={classes.axis} d={`M0 ${MIDDLE}H${WIDTH}`} />
      <path className={classes.same} d={`M${x(same)} 6V22`} />
      <path className={classes.limit} d={`M${x(limit)} 2V26`} />
      <rect
        className={classes.interval}
        x={x((from + to) / 2) - bar / 2}
        y={MIDDLE - 4}
        width={bar}
        height={8}
        rx={2}
      />
      <circle className={classes.value} cx={x(value)} cy={MIDDLE} r={4} />
    </>
  )
}
