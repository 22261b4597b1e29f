/** An order. */
export interface Order {
  readonly id: number
  readonly item: string
  readonly quantity: number
}

const FIRST_ID = 1000
const COUNT = 9000
const ITEMS = ['tea', 'coffee', 'paper', 'ink', 'lamp', 'chair', 'clock']

/** The demo's orders by number, from 1000 to 9999. */
export const orders: ReadonlyMap<string, Order> = new Map(
  Array.from({ length: COUNT }, (_, index) => {
    const id = FIRST_ID + index
    return [String(id), { id, item: ITEMS[index % ITEMS.length] ?? '', quantity: 1 + (index % 5) }]
  }),
)
