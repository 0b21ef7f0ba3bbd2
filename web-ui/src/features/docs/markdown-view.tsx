// SPDX-License-Identifier: MIT
// A page of the docs. Links to other pages stay in the console; those to files of the sources are names, since these are not here.

import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import { pictureUrl } from './api.ts'
import classes from './docs.module.css'
import type { Block, Piece } from './markdown.ts'

export const MarkdownView = ({ blocks }: { blocks: readonly Block[] }) => (
  <article className={classes.page} lang="en">
    {blocks.map((block, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change while it is shown
      <BlockView key={i} block={block} number={numberOf(blocks, i)} />
    ))}
  </article>
)

/** Among those of its kind: names of regions are told apart by it. */
const numberOf = (blocks: readonly Block[], at: number) =>
  blocks.slice(0, at + 1).filter(({ kind }) => kind === blocks[at]?.kind).length

function BlockView({ block, number }: { block: Block; number: number }) {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />
    case 'code':
      return (
        <ScrollBox className={classes.example} label={t('Example {number}', { number })}>
          <pre className={classes.code}>{block.text}</pre>
        </ScrollBox>
      )
    case 'list': {
      const items = block.items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change while it is shown
        <li key={i}>
          <Pieces pieces={item} />
        </li>
      ))
      return block.isOrdered ? <ol>{items}</ol> : <ul className="bullets">{items}</ul>
    }
    case 'table':
      return <Table {...block} number={number} />
    case 'quote':
      return (
        <blockquote>
          <Pieces pieces={block.text} />
        </blockquote>
      )
    case 'paragraph':
      return (
        <p>
          <Pieces pieces={block.text} />
        </p>
      )
  }
}

function Heading({ level, id, text }: Extract<Block, { kind: 'heading' }>) {
  const pieces = <Pieces pieces={text} />
  // The title is the page's own.
  if (level === 1) return null
  if (level === 2) return <h2 id={id}>{pieces}</h2>
  return level === 3 ? <h3 id={id}>{pieces}</h3> : <h4 id={id}>{pieces}</h4>
}

type TableProps = Extract<Block, { kind: 'table' }> & { number: number }

function Table({ head, rows, number }: TableProps) {
  const isHeaded = head.some((cell) => cell.length > 0)
  return (
    <ScrollBox label={t('Table {number}', { number })}>
      <table className="grid">
        {isHeaded && (
          <thead>
            <tr>
              {head.map((cell, i) =>
                cell.length === 0 ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                  <td key={i} />
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                  <th key={i} scope="col">
                    <Pieces pieces={cell} />
                  </th>
                ),
              )}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change while it is shown
            <tr key={row}>
              {cells.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                <td key={i}>
                  <Pieces pieces={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const Pieces = ({ pieces }: { pieces: readonly Piece[] }) =>
  pieces.map((piece, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change while it is shown
    <Fragment key={i}>
      <PieceView piece={piece} />
    </Fragment>
  ))

function PieceView({ piece }: { piece: Piece }) {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'code':
      return <code>{piece.text}</code>
    case 'bold':
      return <strong>{piece.text}</strong>
    case 'image': {
      const url = pictureUrl(piece.to)
      return url === undefined ? (
        piece.text
      ) : (
        <img className={classes.picture} src={url} alt={piece.text} />
      )
    }
    case 'link':
      return <DocLink {...piece} />
  }
}

const PAGE = /^([\w-]+)\.md(?:#(.*))?$/

function DocLink({ text, to }: { text: string; to: string }) {
  const [, page, hash = ''] = PAGE.exec(to) ?? []
  if (page !== undefined) {
    return (
      <Link to="/docs/$page" params={{ page }} hash={hash}>
        {text}
      </Link>
    )
  }
  if (to.startsWith('#')) return <a href={to}>{text}</a>
  if (!/^https?:/.test(to)) return text
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}
