export { EventClient, type Fetcher } from './event-client.ts'
export { EventReader, parseEvents, type ReceivedEvent } from './event-reader.ts'
