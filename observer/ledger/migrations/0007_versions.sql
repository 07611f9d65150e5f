-- Which version holds where a session of a store lies in several places (a moved
-- home, a backup): a prompt or an event is kept as the source tells it that goes on
-- longest, then the one that tells most, then the one with the lower path. Only
-- stores have versions: the lines of a file never change.

ALTER TABLE source ADD COLUMN told_until_ms INTEGER NOT NULL DEFAULT -1;  -- latest end of a session it tells; -1: none
ALTER TABLE source ADD COLUMN told INTEGER NOT NULL DEFAULT 0;            -- how much it tells: rows, known kinds and ends
ALTER TABLE submission ADD COLUMN source_id INTEGER REFERENCES source (id);   -- whose version this is; NULL: a line file's
ALTER TABLE event ADD COLUMN source_id INTEGER REFERENCES source (id);
