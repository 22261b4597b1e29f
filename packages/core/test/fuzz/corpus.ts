/** Bytes that told servers apart, ours among them while it was made; one character a byte. */
export const CORPUS: readonly string[] = [
  'GET a \r\n\0ost: a\r\n\r\n',
  'GET / HTTP/1.0\r\nHost: a\r\n\r\na',
  'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /HTTP/1.1\r\nHost: a\r\n\r\n',
  '\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  '\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.2\r\nHost:\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3 ;a\r\nabc\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;\r\nabc\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nHost: b\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.0\r\nHost: a\r\nConnection: close, keep-alive\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: upgrade\r\nTransfer-Encoding: chunked\t\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  // The same head twice, the first after an empty line.
  '\r\nGET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  // More of what is no body than is read at once, and a fault behind it.
  `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'3;a=b\r\nabc\r\n'.repeat(1000)}0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`,
  `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(2000)}1;\r\nx\r\n0\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${'X:y\r\n'.repeat(100)}\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`,
  // Too many fields, and no end of them.
  `GET / HTTP/1.1\r\nHost: a\r\n${'X:y\r\n'.repeat(105)}X`,
]
