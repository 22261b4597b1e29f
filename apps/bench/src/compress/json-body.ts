import { hash } from 'node:crypto'

/** JSON of 31 KiB, which gzip reduces to a quarter, like a list of records. */
export const JSON_BODY: string = JSON.stringify(
  Array.from({ length: 206 }, (_, id) => {
    const random = hash('sha256', String(id))
    return {
      id: `${random.slice(0, 8)}-${random.slice(8, 12)}-${random.slice(12, 20)}`,
      name: `Item ${Number.parseInt(random.slice(20, 23), 16)}`,
      price: Number.parseInt(random.slice(24, 29), 16) / 100,
      createdAt: `2026-07-${10 + (id % 20)}T12:${10 + (id % 50)}:00.${100 + id}Z`,
      tags: [`color-${random.slice(30, 31)}`, `size-${random.slice(31, 32)}`],
      isActive: id % 3 === 0,
    }
  }),
)

/** Levels of every server, so that all do the same work. */
export const LEVELS = { gzip: 6, br: 4, zstd: 3 } as const
