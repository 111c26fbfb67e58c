"""The dashboard: server-rendered pages whose scripts call the same routes as every other client."""
