"""Business rules of an entity: what they may say, in words and as a document, and how they are stored."""
