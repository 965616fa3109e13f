package sample

// dice are reproducible: the same seed tells the same story.
type dice struct{ state uint64 }

// roll is a number from 0 to n-1 (splitmix64).
func (d *dice) roll(n int) int {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return int((z ^ (z >> 31)) % uint64(n))
}

// chance is true in percent of a hundred cases.
func (d *dice) chance(percent int) bool { return d.roll(100) < percent }

func pick[T any](d *dice, from []T) T { return from[d.roll(len(from))] }
