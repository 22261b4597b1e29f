import type { FeedEvents } from '../src/live/messages.ts'

/** Receives the feed's events. */
export type FeedListener = { readonly [Name in keyof FeedEvents]: (message: FeedEvents[Name]) => void } & {
  /** Called when the stream is lost. The next `welcome` means that it is connected again. */
  readonly lost: () => void
}

/** Milliseconds until the page reopens a stream that the browser has abandoned, for example after a refused connection. */
const REOPEN_MS = 1000
/** Milliseconds without an event after which a stream counts as lost. The feed sends an event every second. */
const SILENT_MS = 5000

/** Follows the feed, and reopens it whenever it ends. The browser requests the events that it missed. */
export function follow(listener: FeedListener): void {
  let lastSign = performance.now()
  let source: EventSource | undefined
  let lastId = ''
  const open = (): void => {
    source?.close()
    lastSign = performance.now()
    // When this page itself opens a stream, the browser does not send Last-Event-ID, so the ID is sent in the query.
    source = new EventSource(lastId === '' ? '/events' : `/events?after=${encodeURIComponent(lastId)}`)
    source.onerror = () => {
      listener.lost()
      if (source?.readyState === EventSource.CLOSED) setTimeout(open, REOPEN_MS)
    }
    for (const name of ['welcome', 'counts', 'second', 'requests', 'traffic', 'fleet', 'race'] as const) {
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        lastSign = performance.now()
        if (lastEventId !== '') lastId = lastEventId
        const receive = listener[name] as (message: unknown) => void
        receive(JSON.parse(data))
      })
    }
  }
  open()
  setInterval(() => {
    if (performance.now() - lastSign < SILENT_MS) return
    listener.lost()
    open()
  }, REOPEN_MS)
}
