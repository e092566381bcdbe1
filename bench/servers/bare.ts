import { createServer } from 'node:http';

/**
 * The lower bound: a Node server that reads the body, parses the JSON and answers 200. No checks, no redaction, no
 * storage.
 */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString('utf8'));
    response.writeHead(200);
    response.end();
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
