/** Event that every server sends: about 135 bytes on the wire. */
export const EVENT_NAME = 'order'
export const EVENT_DATA: string = JSON.stringify({
  id: 123_456,
  side: 'buy',
  price: 101.25,
  quantity: 300,
  note: 'x'.repeat(36),
})
