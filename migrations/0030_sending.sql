-- Bodies that are kept as values in the holes of their creative are short and hardly shrink: packing each alone costs more than the space.

-- +goose Up
ALTER TABLE message_bodies SET (toast_tuple_target = 4096);

-- +goose Down
ALTER TABLE message_bodies RESET (toast_tuple_target);
