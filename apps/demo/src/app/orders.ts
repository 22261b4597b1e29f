/** An order. */
export interface Order {
  readonly id: number
  readonly item: string
  readonly quantity: number
}

const FIRST_ID = 1000
const COUNT = 9000
const ITEMS = ['tea', 'coffee', 'paper', 'ink', 'lamp', 'chair', 'clock']

/** The orders that the demo has, by their number: 1000 to 9999. */
export const orders: ReadonlyMap<string, Order> = new Map(
  Array.from({ length: COUNT }, (_, index) => {
    const id = FIRST_ID + index
    return [String(id), { id, item: ITEMS[index % ITEMS.length] ?? '', quantity: 1 + (index % 5) }]
  }),
)
